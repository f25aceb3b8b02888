import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { ApiError } from './api-error.ts';
import { errorBody } from './responses.ts';

export interface Listening {
  readonly port: number;
  close(): Promise<void>;
}

/** `loopback` covers both addresses that `localhost` can mean. */
export type Reach = 'loopback' | 'every interface';

/**
 * `loopback` uses each of these that the machine has; `every interface` the first, which takes IPv4
 * too if the machine has both.
 */
const ADDRESSES = { loopback: ['127.0.0.1', '::1'], 'every interface': ['::', '0.0.0.0'] } as const;

/**
 * Generous for a browser on a slow machine, but they end a client that sends its headers byte by
 * byte.
 */
const LIMITS = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 1_000,
  keepAliveTimeout: 75_000, // longer than clients, so that none uses a closed one
} as const;

const TRIES_FOR_A_FREE_PORT = 10;

/**
 * Listens on `port`, `0` for a free one. Rejects with an error whose message says what to change.
 */
export async function listen(app: RequestListener, port: number, reach: Reach): Promise<Listening> {
  for (let tries = 1; ; tries++) {
    const servers: Server[] = [];
    try {
      let boundPort = port;
      for (const address of ADDRESSES[reach]) {
        if (reach === 'every interface' && servers.length) break;
        const server = await listenOn(app, boundPort, address);
        if (!server) continue;
        servers.push(server);
        boundPort = (server.address() as AddressInfo).port;
      }
      if (!servers.length) throw new Error('no usable network address');
      return {
        port: boundPort,
        close: async () => void (await Promise.all(servers.map(closeServer))),
      };
    } catch (cause) {
      await Promise.all(servers.map(closeServer));
      const { code, message } = cause as NodeJS.ErrnoException;
      if (code === 'EADDRINUSE' && port === 0 && tries < TRIES_FOR_A_FREE_PORT) continue;
      throw new Error(
        code === 'EADDRINUSE'
          ? `Port ${port} is in use. Stop the other program, or pass another port, such as --port 0 for a free one.`
          : `Cannot listen on port ${port} (${code ?? message}). Choose another port (0 takes a free one).`,
        { cause },
      );
    }
  }
}

function listenOn(
  app: RequestListener,
  port: number,
  address: string,
): Promise<Server | undefined> {
  return new Promise((resolve, reject) => {
    // A missing Host or an unknown Expect gets a response of the app, because Node's has no body.
    const server = createServer({ ...LIMITS, requireHostHeader: false }, app);
    server.on('checkExpectation', app);
    server.on('clientError', respondToMalformed);
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRNOTAVAIL' || error.code === 'EAFNOSUPPORT') resolve(undefined);
      else reject(error);
    });
    server.listen({ port, host: address }, () => resolve(server));
  });
}

function respondToMalformed(_error: Error, socket: Duplex): void {
  const body = JSON.stringify(
    errorBody(new ApiError('invalid', 'The request is not well-formed HTTP.')),
  );
  const head = [
    'HTTP/1.1 400 Bad Request',
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  if (socket.writable) socket.end(`${head.join('\r\n')}\r\nConnection: close\r\n\r\n${body}`);
  else socket.destroy();
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
