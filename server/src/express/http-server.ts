import { once } from 'node:events';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import type { Log } from '../observe/log.ts';
import { buildThrottle, realClock, repeat } from '../support/clock.ts';

/**
 * Headers get 5 s and whole requests 10 s, checked every 500 ms. Idle connections stay longer than
 * proxies keep theirs (60 s), so that none is closed while it is reused.
 */
const LIMITS = {
  connectionsCheckingInterval: 500,
  headersTimeout: 5_000,
  requestTimeout: 10_000,
  keepAliveTimeout: 75_000,
  maxHeaderSize: 16 * 1024,
} as const;

const MOST_CONNECTIONS = 10_000;

const LOOK_EVERY_MS = 1_000;
const LOG_EVERY_MS = 1_000;

export type HttpServer = ReturnType<typeof buildHttpServer>;

/** Builds a server with limits on connections and waits (T89, T90, T119). */
export function buildHttpServer({
  log,
  connections = MOST_CONNECTIONS,
}: {
  log: Log;
  connections?: number;
}) {
  const server = createServer(LIMITS);
  const inFlight = new Set<ServerResponse>();
  const mayLog = buildThrottle(realClock, LOG_EVERY_MS);
  let isStopping = false;

  server.maxConnections = connections;
  server.on('drop', () => {
    if (!mayLog('full')) return;
    log.warn({ connections }, 'connection limit reached; rejecting connections');
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
      const handle: RequestListener = (req, res) => {
        // a pipelined request, which no browser or proxy sends (T119)
        if (!res.socket) return void req.socket.destroy();
        inFlight.add(res);
        res.once('close', () => inFlight.delete(res));
        if (isStopping) res.setHeader('Connection', 'close');
        app(req, res);
      };
      server.on('request', handle);
      server.on('checkExpectation', handle);
    },
    drain,
    /** Lets running requests finish, and cuts those that last longer than `withinMs`. */
    async close(withinMs: number): Promise<void> {
      drain();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      const stopLooking = repeat(realClock, LOOK_EVERY_MS, async () => {
        // browsers open connections in advance, which Node does not count as idle
        if (inFlight.size) server.closeIdleConnections();
        else server.closeAllConnections();
      });
      const cancel = realClock.after(withinMs, () => server.closeAllConnections());
      await closed;
      await stopLooking();
      cancel();
    },
  };

  function drain(): void {
    isStopping = true;
    for (const res of inFlight) if (!res.headersSent) res.setHeader('Connection', 'close');
  }
}
