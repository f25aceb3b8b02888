import { once } from 'node:events';
import { createServer, type ListenOptions, type Server, type Socket } from 'node:net';

/**
 * Sockets that listen on the one port. Node takes one connection of each in a turn of its loop, however many wait: with one socket
 * customers waited for seconds behind strangers who came and went (T90). Linux spreads connections over them.
 */
const SOCKETS = process.platform === 'linux' ? 8 : 1;

/**
 * Connections that wait at each socket until the shop has a moment to take them; by default 511. One that finds no room is tried
 * again by its peer's system after a second, then two, then four. The system may allow fewer: Linux since 5.4 as many as this.
 */
const BACKLOG = 4_096;

/** Hands connections of a port to a server. */
export interface Listening {
  /** Takes no more connections, and resolves when all that were taken are closed. */
  close(): Promise<void>;
}

/** Has a server take connections at a port, of its own where it is 0. Rejects as Node does, also where another program has the port. */
export async function listenAt(server: Server, { port, host }: Pick<ListenOptions, 'port' | 'host'>): Promise<Listening> {
  const place = { port: SOCKETS > 1 ? await findFree({ port, host }) : port, host, backlog: BACKLOG, reusePort: SOCKETS > 1 };
  const others = Array.from({ length: SOCKETS - 1 }, () =>
    createServer({ allowHalfOpen: true, noDelay: true }, (socket: Socket) => void server.emit('connection', socket)),
  );
  const servers = [server, ...others];
  for (const each of servers) each.listen(place);
  await Promise.all(servers.map((each) => once(each, 'listening'))).catch((error: unknown) => {
    for (const each of servers) each.close();
    throw error;
  });
  return {
    async close() {
      const closed = servers.map((each) => once(each, 'close'));
      for (const each of servers) each.close();
      await Promise.all(closed);
    },
  };
}

/** Sockets that share a port would share it with another shop's, too. */
async function findFree(place: Pick<ListenOptions, 'port' | 'host'>): Promise<number> {
  const probe = createServer().listen(place);
  await once(probe, 'listening');
  const { port } = probe.address() as { port: number };
  probe.close();
  await once(probe, 'close');
  return port;
}
