import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

import { ApiError, type ApiErrorCode, errorEnvelope } from './api-error.ts';
import { buildApp } from './app.ts';
import { BackgroundConfirms } from './background-confirms.ts';
import { type Clock, realClock } from './clock.ts';
import { type Config, isLoopback } from './config.ts';
import { buildConfirm } from './confirm.ts';
import { openDatabase } from './database.ts';
import { startDatabaseClock } from './database-clock.ts';
import { type Failpoint, noFailpoint } from './failpoint.ts';
import { type Fulfil, fulfil as handOver } from './fulfil.ts';
import { FulfilmentStore } from './fulfilment-store.ts';
import { startFulfilmentWorker } from './fulfilment-worker.ts';
import { buildLog, type Log } from './log.ts';
import { Metrics } from './metrics.ts';
import { PaymentFeed } from './payment-feed.ts';
import { startPaymentNotices } from './payment-notices.ts';
import { startReconciler } from './reconciler.ts';
import { buildServiceClient } from './service-client.ts';
import { ShopStore } from './shop-store.ts';
import { TokenGate } from './token-gate.ts';
import { WriteBatch } from './write-batch.ts';

/** Limits of a connection. The first is how often Node looks at the others: by default only every 30 s. */
const CONNECTIONS = { connectionsCheckingInterval: 500, headersTimeout: 5_000, requestTimeout: 10_000, keepAliveTimeout: 10_000 } as const;

/** What requests under way get to end in when the shop stops. */
const CLOSE_WITHIN_MS = 8_000;

/** What a test, or a shop with its own ways, may put in place of the usual. */
export interface ShopParts {
  clock?: Clock;
  log?: Log;
  fulfil?: Fulfil;
  /** For fault harnesses alone. */
  failpoint?: Failpoint;
}

/** Why no connections can be taken, in one sentence. */
export class ListenError extends Error {
  override readonly name = 'ListenError';
}

/** A shop that answers at `url`. */
export interface Shop {
  readonly url: string;
  /** Ends streams, answers what is under way, and resolves when nothing of the shop runs. */
  close(): Promise<void>;
}

/** Opens the database, listens, and starts to reconcile and to fulfil. Rejects where the port or the database cannot be had. */
export async function startShop(
  config: Config,
  { clock: ownClock = realClock, log = buildLog(config), fulfil = handOver, failpoint = noFailpoint }: ShopParts = {},
): Promise<Shop> {
  const database = await openDatabase(config.databaseUrl);
  const service = buildServiceClient(config);
  const server = createServer({ ...CONNECTIONS, requireHostHeader: false });
  const databaseClock = await startDatabaseClock(database, ownClock, log);
  const { clock } = databaseClock;
  try {
    await listen(server, config);
  } catch (error) {
    databaseClock.stop();
    await Promise.all([service.close(), database.close()]);
    throw error;
  }

  const publicUrl = config.publicUrl ?? `http://localhost:${(server.address() as AddressInfo).port}`;
  const writes = new WriteBatch(database, { failpoint });
  const store = new ShopStore(database, writes);
  const feed = new PaymentFeed();
  const notices = startPaymentNotices({ feed, store, database, clock, log });
  const metrics = new Metrics();
  const tokenGate = new TokenGate(clock);
  const confirm = buildConfirm({ store, service, feed, metrics, clock, log, tokenGate, failpoint });
  const confirms = new BackgroundConfirms(confirm, log);
  const { app, streams } = buildApp({ config, publicUrl, store, confirm, confirms, feed, metrics, clock, log, failpoint });
  const stopReconciler = startReconciler({ store, confirms, service, tokenGate, clock, log });
  const worker = startFulfilmentWorker({ store, fulfilments: new FulfilmentStore(database, writes), feed, fulfil, clock, log, failpoint });
  server.on('request', app);
  // Node would answer an expectation nobody meets by itself, without the envelope, as it would a request without a host.
  server.on('checkExpectation', app);
  server.on('clientError', answerUnreadable);

  return {
    url: publicUrl,
    async close() {
      stopReconciler();
      databaseClock.stop();
      streams.endAll();
      await Promise.all([closeServer(server), confirms.stop(), worker.stop()]);
      await notices.stop();
      await service.close();
      await database.close();
    },
  };
}

/** A shop that browsers reach on this machine alone listens to this machine alone. Rejects with a sentence that says what to change. */
async function listen(server: Server, { port, publicUrl }: Config): Promise<void> {
  server.listen({ port, ...((!publicUrl || isLoopback(publicUrl)) && { host: '127.0.0.1' }) });
  await once(server, 'listening').catch((cause: NodeJS.ErrnoException) => {
    const why = cause.code === 'EADDRINUSE' ? `is taken: end the program that uses it, or` : `cannot be listened on (${cause.code}):`;
    throw new ListenError(`Port ${port} ${why} set PORT to another port (0 takes a free one).`, { cause });
  });
}

async function closeServer(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  const cancel = realClock.after(CLOSE_WITHIN_MS, () => server.closeAllConnections());
  await closed;
  cancel();
}

/** Answers what Node could not read as a request, in the envelope all the same. */
function answerUnreadable(error: NodeJS.ErrnoException, socket: Socket): void {
  if (!socket.writable) return void socket.destroy();
  const { httpStatus, ...answer } = unreadable(error.code);
  const body = JSON.stringify(answer.body);
  socket.end(
    `HTTP/1.1 ${httpStatus} Refused\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}

function unreadable(nodeCode: string | undefined): { httpStatus: number; body: object } {
  const [code, message]: [ApiErrorCode, string] =
    nodeCode === 'HPE_HEADER_OVERFLOW'
      ? ['headers_too_large', 'The address and headers together are larger than 16 kB.']
      : nodeCode === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? ['request_too_slow', 'The request took too long to arrive.']
        : ['invalid_request', 'This is no HTTP request that can be read.'];
  const error = new ApiError(code, message);
  return { httpStatus: error.httpStatus, body: errorEnvelope(error) };
}
