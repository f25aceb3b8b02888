import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { Socket } from 'node:net';
import { errorEnvelope } from '@service-pay/contract/envelope';
import type { Log } from '../observe/log.ts';
import { buildThrottle, realClock, repeat } from '../support/clock.ts';

/**
 * Headers get 5 s, whole requests 10 s, checked every 500 ms. Idle connections stay longer than
 * proxies keep theirs (60 s), so that none is closed as it is used again.
 */
const LIMITS = {
  connectionsCheckingInterval: 500,
  headersTimeout: 5_000,
  requestTimeout: 10_000,
  keepAliveTimeout: 75_000,
  maxHeaderSize: 16 * 1024,
} as const;

const MOST_CONNECTIONS = 10_000;

const LINGER_MS = 1_000;
const LOG_EVERY_MS = 1_000;

const UNREADABLE: Record<string, readonly [httpStatus: number, message: string]> = {
  HPE_HEADER_OVERFLOW: [431, 'The address and headers together are larger than 16 kB.'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request took too long to arrive.'],
};

/** The memory that bodies may take until they are answered, over all connections (T120). */
const MOST_HELD_BYTES = 8 * 1024 * 1024;

const BYTES_OF_A_REQUEST = 4 * 1024;
const BYTES_OF_A_PIECE = 2 * 1024;

export type HttpServer = ReturnType<typeof buildHttpServer>;

/**
 * Makes a server whose connections, bodies and waits are all bounded (T89, T90, T119, T120). Tests
 * that fill the limits set them low.
 */
export function buildHttpServer(deps: { log: Log; connections?: number; mostHeldBytes?: number }) {
  const { log, connections = MOST_CONNECTIONS, mostHeldBytes = MOST_HELD_BYTES } = deps;
  const server = createServer({ ...LIMITS, requireHostHeader: false });
  const answering = new Map<Socket, ServerResponse>();
  const mayLog = buildThrottle(realClock, LOG_EVERY_MS);
  const watchBody = limitBodies(mostHeldBytes, () => {
    if (mayLog('memory')) log.warn({}, 'connection closed: unanswered bodies take too much memory');
  });
  let isStopping = false;

  server.maxConnections = connections;
  server.on('clientError', ({ code }: NodeJS.ErrnoException, socket: Socket) => {
    const res = answering.get(socket);
    // would be taken for the answer to the request before
    const isOwed = res && (res.headersSent || res.req.complete);
    if (!socket.writable || isOwed) socket.destroy();
    else refuse(socket, code);
  });
  server.on('drop', () => {
    if (!mayLog('full')) return;
    log.error({ connections }, 'connection limit reached, refusing connections');
    server.closeIdleConnections();
  });

  return {
    server,
    get isStopping() {
      return isStopping;
    },
    async listen(place: { port: number; host?: string }): Promise<void> {
      server.listen(place);
      await once(server, 'listening');
    },
    serve(app: RequestListener): void {
      const handle = (req: IncomingMessage, res: ServerResponse) => {
        // sent before the answer to the one before, as no browser or proxy does (T119)
        if (!res.socket) return void req.socket.destroy();
        answering.set(req.socket, res);
        res.once('close', () => {
          if (answering.get(req.socket) === res) answering.delete(req.socket);
        });
        if (isStopping) res.setHeader('Connection', 'close');
        watchBody(req, res);
        app(req, res);
      };
      server.on('request', handle);
      server.on('checkExpectation', handle);
    },
    drain,
    /** Answers and closes what is under way, and cuts what lasts longer than `withinMs`. */
    async close(withinMs: number): Promise<void> {
      drain();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      const stopLooking = repeat(realClock, LINGER_MS, async () => {
        // browsers open connections in advance, which Node does not count as idle
        if (answering.size) server.closeIdleConnections();
        else server.closeAllConnections();
      });
      const cancel = realClock.after(withinMs, () => server.closeAllConnections());
      await closed;
      stopLooking();
      cancel();
    },
  };

  function drain(): void {
    isStopping = true;
    for (const res of answering.values())
      if (!res.headersSent) res.setHeader('Connection', 'close');
  }
}

function refuse(socket: Socket, code = ''): void {
  const [status, message] = UNREADABLE[code] ?? [400, 'This is no HTTP request that can be read.'];
  const body = JSON.stringify(errorEnvelope('01', message));
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
  socket.once(
    'close',
    realClock.after(LINGER_MS, () => socket.destroy()),
  );
}

/**
 * Returns a function that counts a request's body until the request is answered. Beyond
 * `mostHeldBytes` it closes the connection whose body has been arriving for longest: an honest one
 * takes milliseconds.
 */
function limitBodies(
  mostHeldBytes: number,
  logCut: () => void,
): (req: IncomingMessage, res: ServerResponse) => void {
  const held = new Map<IncomingMessage, number>();
  let heldBytes = 0;

  return (req, res) => {
    const { 'transfer-encoding': encoding, 'content-length': length = 0 } = req.headers;
    if (encoding === undefined && Number(length) === 0) return;
    held.set(req, 0);
    hold(req, BYTES_OF_A_REQUEST);
    // listening to its data would start to read it
    const push = req.push.bind(req);
    req.push = (piece: Buffer | null, ...rest) => {
      if (piece) hold(req, piece.length + BYTES_OF_A_PIECE);
      return push(piece, ...rest);
    };
    res.once('close', () => release(req));
  };

  function hold(req: IncomingMessage, bytes: number): void {
    const before = held.get(req);
    if (before === undefined) return; // cut or answered
    held.set(req, before + bytes);
    heldBytes += bytes;
    if (heldBytes <= mostHeldBytes) return;
    const oldest = [...held.keys()].find((one) => !one.complete) ?? req;
    release(oldest);
    oldest.socket.destroy();
    logCut();
  }

  function release(req: IncomingMessage): void {
    heldBytes -= held.get(req) ?? 0;
    held.delete(req);
  }
}
