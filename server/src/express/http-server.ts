import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { Socket } from 'node:net';
import { ipKeyGenerator } from 'express-rate-limit';
import { errorEnvelope, PaymentsError, type PaymentsErrorCode } from '../errors.ts';
import type { Log } from '../observe/log.ts';
import { buildThrottle, realClock } from '../support/clock.ts';
import { buildIntake, type Intake } from './intake.ts';

/**
 * What a connection may cost. Headers get 5 s, whole requests 10 s; the first figure is how often
 * Node looks (by default every 30 s). Kept-alive ones stay longer than proxies keep theirs (60 s),
 * so that none is closed as it is used again.
 */
const LIMITS = {
  connectionsCheckingInterval: 500,
  headersTimeout: 5_000,
  requestTimeout: 10_000,
  keepAliveTimeout: 75_000,
  maxHeaderSize: 16 * 1024,
} as const;

/** A connection is made anew now and then, so that a balancer can even out the load. */
const MOST_REQUESTS_PER_CONNECTION = 1_000;

/**
 * Connections at once; of one address, where no proxy stands before the shop and lends all
 * customers its own.
 */
const MOST_CONNECTIONS = 10_000;
const MOST_CONNECTIONS_PER_ADDRESS = 2_500;

/**
 * What a peer gets to read a refusal in before its connection is gone, and one without a request to
 * send it in when the shop stops.
 */
const LINGER_MS = 1_000;
const TELL_EVERY_MS = 1_000;

/**
 * A server that bears strangers: every connection is bounded in time and size, and so is their
 * number (T89, T90).
 */
export interface HttpServer {
  readonly server: Server;
  readonly isStopping: boolean;
  /** Takes connections from now on. Rejects as Node does. */
  listen(place: { port: number; host?: string }): Promise<void>;
  /** Hands every request to `app` from now on. */
  serve(app: RequestListener): void;
  /**
   * Has every connection closed with its next answer, so that its peer goes elsewhere; new ones are
   * served yet.
   */
  drain(): void;
  /**
   * Takes no more connections, has those under way closed with their answers, and resolves when all
   * are. What lasts longer than `withinMs` is cut.
   */
  close(withinMs: number): Promise<void>;
}

/**
 * Makes the server; it does not listen yet. `trustedProxies` is how many stand before it; a test
 * that fills the limits sets them low.
 */
export function buildHttpServer({
  trustedProxies,
  log,
  connectionsPerAddress = MOST_CONNECTIONS_PER_ADDRESS,
  connections = MOST_CONNECTIONS,
  mostHeldBytes,
}: {
  trustedProxies: number;
  log: Log;
  connectionsPerAddress?: number;
  connections?: number;
  mostHeldBytes?: number;
}): HttpServer {
  const server = createServer({ ...LIMITS, requireHostHeader: false });
  const answering = new Set<ServerResponse>();
  /**
   * Browsers open connections in advance. Node does not count those as idle, and would wait for
   * them when it stops.
   */
  const unused = new Set<Socket>();
  const mayTell = buildThrottle(realClock, TELL_EVERY_MS);
  let open = 0;
  let isAnswerOwed: Intake['isAnswerOwed'] = () => false;
  let isStopping = false;
  let isClosing = false;

  server.maxRequestsPerSocket = MOST_REQUESTS_PER_CONNECTION;
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) =>
    answerUnreadable(error, socket, isAnswerOwed(socket)),
  );
  server.on('connection', (socket: Socket) => {
    unused.add(socket);
    open += 1;
    socket.once('close', () => {
      unused.delete(socket);
      open -= 1;
    });
    if (open <= connections) return;
    socket.destroy();
    if (!mayTell('full')) return;
    log.error({ connections }, 'connections refused: as many are open as may be');
    server.closeIdleConnections();
  });
  if (trustedProxies === 0) {
    limitPerAddress(server, connectionsPerAddress, () => {
      if (mayTell('address'))
        log.warn(
          { connections: connectionsPerAddress },
          'connections refused: one address holds as many as it may',
        );
    });
  }

  return {
    server,
    get isStopping() {
      return isStopping;
    },
    async listen(place) {
      server.listen(place);
      await once(server, 'listening');
    },
    serve(app) {
      const { take, isAnswerOwed: isOwed } = buildIntake({ serve: answer, cut, mostHeldBytes });
      isAnswerOwed = isOwed;
      const handle = (req: IncomingMessage, res: ServerResponse) => {
        unused.delete(req.socket);
        take(req, res);
      };
      server.on('request', handle);
      // Node would answer an expectation nobody meets by itself, without the envelope, as it would
      // a request without a host.
      server.on('checkExpectation', handle);

      function answer(req: IncomingMessage, res: ServerResponse): void {
        answering.add(res);
        res.once('close', () => {
          answering.delete(res);
          if (isClosing) setImmediate(() => server.closeIdleConnections());
        });
        if (isStopping) res.setHeader('Connection', 'close');
        app(req, res);
      }
    },
    drain,
    async close(withinMs) {
      drain();
      isClosing = true;
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      const cancels = [
        realClock.after(LINGER_MS, () => {
          for (const socket of unused) socket.destroy();
        }),
        realClock.after(withinMs, () => server.closeAllConnections()),
      ];
      await closed;
      for (const cancel of cancels) cancel();
    },
  };

  function cut(socket: Socket): void {
    if (mayTell('memory'))
      log.warn(
        {},
        'connections closed: requests that are not answered yet take as much memory as they may',
      );
    answerUnreadable({ code: 'ERR_HTTP_REQUEST_TIMEOUT' }, socket, isAnswerOwed(socket));
    socket.destroySoon();
  }

  function drain(): void {
    isStopping = true;
    for (const res of answering) if (!res.headersSent) res.setHeader('Connection', 'close');
  }
}

function limitPerAddress(server: Server, most: number, tell: () => void): void {
  const held = new Map<string, number>();
  server.on('connection', (socket: Socket) => {
    // of IPv6 the network, which one customer has all of
    const address = ipKeyGenerator(socket.remoteAddress ?? '');
    const connections = (held.get(address) ?? 0) + 1;
    if (connections > most) {
      tell();
      socket.destroy();
      return;
    }
    held.set(address, connections);
    socket.once('close', () => {
      const left = (held.get(address) ?? 1) - 1;
      if (left) held.set(address, left);
      else held.delete(address);
    });
  });
}

/**
 * Answers what Node could not read as a request, in the envelope all the same, but where it would
 * be taken for the answer to an earlier request on the connection.
 */
function answerUnreadable(
  error: Pick<NodeJS.ErrnoException, 'code'>,
  socket: Socket,
  isOwed: boolean,
): void {
  if (!socket.writable || isOwed) return void socket.destroy();
  const { httpStatus, body } = unreadable(error.code);
  const head = [
    `HTTP/1.1 ${httpStatus} ${STATUS_CODES[httpStatus]}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
  const cancel = realClock.after(LINGER_MS, () => socket.destroy());
  socket.once('close', cancel);
}

function unreadable(nodeCode: string | undefined): { httpStatus: number; body: string } {
  const [code, message]: [PaymentsErrorCode, string] =
    nodeCode === 'HPE_HEADER_OVERFLOW'
      ? ['headers_too_large', 'The address and headers together are larger than 16 kB.']
      : nodeCode === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? ['request_too_slow', 'The request took too long to arrive.']
        : ['invalid_request', 'This is no HTTP request that can be read.'];
  const error = new PaymentsError(code, message);
  return { httpStatus: error.httpStatus, body: JSON.stringify(errorEnvelope(error)) };
}
