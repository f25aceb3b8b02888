import type { AddressInfo } from 'node:net';
import { openDatabase } from '@service-pay/server/database/open';
import { startDatabaseClock } from '@service-pay/server/database/shared-clock';
import { PaymentFeed } from '@service-pay/server/events/bus';
import { startPaymentNotices } from '@service-pay/server/events/postgres-notify';
import { buildHttpServer, type HttpServer } from '@service-pay/server/express/http-server';
import type { Fulfil } from '@service-pay/server/fulfilment/fulfil';
import { FulfilmentStore } from '@service-pay/server/fulfilment/store';
import { startFulfilmentWorker } from '@service-pay/server/fulfilment/worker';
import { FiguresStore } from '@service-pay/server/observe/figures';
import { startHousekeeping } from '@service-pay/server/observe/housekeeping';
import { HousekeepingStore } from '@service-pay/server/observe/housekeeping-store';
import { buildLog, type Log } from '@service-pay/server/observe/log';
import { Metrics } from '@service-pay/server/observe/metrics';
import { tellAtStart } from '@service-pay/server/observe/startup-alerts';
import { buildConfirm } from '@service-pay/server/payments/confirm';
import { ConfirmQueue } from '@service-pay/server/payments/confirm-queue';
import { startReconciler } from '@service-pay/server/payments/reconciler';
import { ServiceAnswers } from '@service-pay/server/payments/service-answers';
import { ShopStore } from '@service-pay/server/payments/store';
import { buildServiceClient } from '@service-pay/server/service/client';
import { TokenGate } from '@service-pay/server/service/token-gate';
import { type Clock, keepAlive, realClock } from '@service-pay/server/support/clock';
import { type Failpoint, noFailpoint } from '@service-pay/server/support/failpoint';
import { type AppDeps, buildApp } from './app.ts';
import type { Cart } from './cart.ts';
import { CATALOGUE } from './catalogue.ts';
import type { Config } from './config.ts';
import { fulfil as handOver } from './fulfil.ts';

/** What requests and confirms under way get to end in when the shop stops. */
const CLOSE_WITHIN_MS = 8_000;

/** What a test, or a shop with its own ways, may put in place of the usual. */
export interface ShopParts {
  clock?: Clock;
  log?: Log;
  fulfil?: Fulfil<Cart>;
  catalogue?: AppDeps['catalogue'];
  /** For fault harnesses alone. */
  failpoint?: Failpoint;
  /** For tests alone, which may run on a busy machine. */
  answerWithinMs?: number | undefined;
}

/** Why no connections can be taken, in one sentence. */
export class ListenError extends Error {
  override readonly name = 'ListenError';
}

/** A shop that answers at `url`. */
export interface Shop {
  readonly url: string;
  /** Says at `/readyz` that it is about to end, and goes on serving. */
  drain(): void;
  /** Ends streams, answers what is under way, and resolves when nothing of the shop runs. */
  close(): Promise<void>;
}

/**
 * Opens the database, listens, and starts to reconcile and to fulfil. Rejects where the port or the
 * database cannot be had.
 */
export async function startShop(
  config: Config,
  {
    clock: ownClock = realClock,
    log = buildLog(config),
    fulfil = handOver,
    catalogue = CATALOGUE,
    failpoint = noFailpoint,
    answerWithinMs,
  }: ShopParts = {},
): Promise<Shop> {
  const database = await openDatabase(config.databaseUrl, { answerWithinMs, failpoint });
  const service = buildServiceClient(config);
  const http = buildHttpServer({ trustedProxies: config.trustedProxies, log });
  const databaseClock = await startDatabaseClock(database, ownClock, log);
  const { clock } = databaseClock;
  try {
    await listen(http, config);
  } catch (error) {
    databaseClock.stop();
    await Promise.all([service.close(), database.close()]);
    throw error;
  }

  const publicUrl =
    config.publicUrl ?? `http://localhost:${(http.server.address() as AddressInfo).port}`;
  const store = new ShopStore(database);
  const feed = new PaymentFeed();
  const notices = startPaymentNotices({ feed, store, database, clock, log });
  const metrics = new Metrics();
  const tokenGate = new TokenGate(clock);
  const answers = new ServiceAnswers();
  const confirm = buildConfirm({
    store,
    service,
    feed,
    metrics,
    clock,
    log,
    tokenGate,
    answers,
    failpoint,
  });
  const confirms = new ConfirmQueue(confirm, log);
  const { app, streams } = buildApp({
    ...{
      config,
      publicUrl,
      store,
      service,
      confirm,
      confirms,
      answers,
      feed,
      metrics,
      clock,
      log,
      catalogue,
      failpoint,
    },
    isStopping: () => http.isStopping,
  });
  http.serve(app); // before anything is waited for: who has connected would get no answer
  const stopHousekeeping = startHousekeeping({
    store: new HousekeepingStore(database),
    clock,
    log,
  });
  const stopReconciler = startReconciler({ store, confirms, service, tokenGate, clock, log });
  const worker = startFulfilmentWorker({
    store,
    fulfilments: new FulfilmentStore(database),
    feed,
    fulfil: fulfil as Fulfil, // every payment's data is a cart
    metrics,
    clock,
    log,
    failpoint,
  });
  const figures = new FiguresStore(database);
  const stopTelling = tellAtStart({ figures, metrics, clock, log });
  metrics.watch({
    figures: () => figures.read(clock.now()),
    circuit: () => service.circuit,
    eventStreams: () => streams.size,
  });

  return {
    url: publicUrl,
    drain: () => http.drain(),
    close: () => keepAlive(close),
  };

  async function close(): Promise<void> {
    stopHousekeeping();
    stopReconciler();
    stopTelling();
    databaseClock.stop();
    streams.endAll();
    const cancel = realClock.after(CLOSE_WITHIN_MS, () => void service.close());
    await Promise.all([http.close(CLOSE_WITHIN_MS), confirms.stop(), worker.stop()]);
    cancel();
    await notices.stop();
    await service.close();
    await database.close();
  }
}

/** Rejects with a sentence that says what to change. */
async function listen(http: HttpServer, { port, host }: Config): Promise<void> {
  await http
    .listen({ port, ...(host !== undefined && { host }) })
    .catch((cause: NodeJS.ErrnoException) => {
      if (cause.code === 'EADDRNOTAVAIL') {
        const message = `This machine has no address ${host}: set HOST to one it has, or to 0.0.0.0 for every interface.`;
        throw new ListenError(message, { cause });
      }
      const why =
        cause.code === 'EADDRINUSE'
          ? `is taken: end the program that uses it, or`
          : `cannot be listened on (${cause.code}):`;
      throw new ListenError(`Port ${port} ${why} set PORT to another port (0 takes a free one).`, {
        cause,
      });
    });
}
