import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A relay before a PostgreSQL server that can fall silent: it then keeps what either side sends. */
export interface SilentRelay {
  /** The address of a database on the server, by way of the relay. */
  urlOf(databaseUrl: string): string;
  fallSilent(): void;
  /** Falls silent once a client sends this text. */
  fallSilentAt(text: string): void;
  close(): void;
}

export async function startSilentRelay(serverUrl: string): Promise<SilentRelay> {
  const { hostname, port } = new URL(serverUrl);
  const sockets = new Set<Socket>();
  let isSilent = false;
  let trigger: string | undefined;
  const pass = (from: Socket, to: Socket) => {
    sockets.add(from);
    from.on('error', () => {});
    from.on('close', () => to.destroy());
    from.on('data', (bytes) => {
      if (trigger && bytes.includes(trigger)) isSilent = true;
      if (!isSilent) to.write(bytes);
    });
  };
  const server = createServer((client) => {
    const upstream = connect(Number(port || 5432), hostname);
    pass(client, upstream);
    pass(upstream, client);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    urlOf(databaseUrl) {
      const url = new URL(databaseUrl);
      url.hostname = '127.0.0.1';
      url.port = `${(server.address() as AddressInfo).port}`;
      return url.href;
    },
    fallSilent: () => {
      isSilent = true;
    },
    fallSilentAt: (text) => {
      trigger = text;
    },
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
