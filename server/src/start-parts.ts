import { startDatabaseClock } from './database/shared-clock.ts';
import type { Fulfil } from './fulfilment/fulfil.ts';
import { FulfilmentStore } from './fulfilment/store.ts';
import { FulfilmentWorker } from './fulfilment/worker.ts';
import { readFigures } from './observe/figures.ts';
import { maskLogger } from './observe/mask-logger.ts';
import { Metrics } from './observe/metrics.ts';
import type { PaymentsOptions } from './options.ts';
import { buildConfirm } from './payments/confirm.ts';
import { ConfirmQueue } from './payments/confirm-queue.ts';
import { startHousekeeping, tidyUp } from './payments/housekeeping.ts';
import { openOwnDatabase } from './payments/own-database.ts';
import { PaymentFeed } from './payments/payment-feed.ts';
import { buildPlanAgain, startPlanningAgain } from './payments/plan-again.ts';
import { PollPlan } from './payments/poll-plan.ts';
import { Reconciler } from './payments/reconciler.ts';
import { ServiceResponses } from './payments/service-responses.ts';
import { PaymentStore } from './payments/store.ts';
import { raiseAlerts, startUnknownReferenceAlerts } from './payments/unknown-references.ts';
import { realClock } from './support/clock.ts';
import { testHooksOf } from './support/test-hooks.ts';
import { buildReceiver } from './webhooks/receive.ts';
import { buildWork } from './work.ts';

const SHUT_WITHIN_MS = 8_000;

/**
 * The limits of background confirms and of calls of `fulfil` at once, less with fewer than ten
 * connections. The client has 50 connections to the service, so ten stay free for customers.
 */
const MOST_CONFIRMS = 40;
const MOST_FULFILMENTS = 100;

/** The running parts of `createPayments`, and how they end. */
export type RunningParts = Awaited<ReturnType<typeof startParts>>;

/** Opens the database, builds the parts and, unless `background` is false, starts their work. */
export async function startParts<Data>({
  database: address,
  clock: ownClock = realClock,
  background = true,
  maxConnections,
  ...options
}: PaymentsOptions<Data>) {
  const { failpoint, respondWithinMs } = testHooksOf(options);
  const databaseUrl = typeof address === 'string' ? address : address.options.connectionString;
  const open = { respondWithinMs, failpoint, maxConnections };
  const own = await openOwnDatabase(address, open, options);
  const { database, service } = own;
  const log = maskLogger(options.log, {
    ...options,
    databasePassword: database.password,
    ...(databaseUrl && { databaseUrl }),
  });
  const close = async () => {
    await service.close();
    await database.close();
  };
  const startClock = async () => {
    await own.report(log);
    return startDatabaseClock(database, ownClock, log);
  };
  const databaseClock = await startClock().catch(async (error) => {
    await close();
    throw error;
  });
  const { clock } = databaseClock;
  const metrics = new Metrics({
    figures: () => readFigures(database, clock.now()),
    circuit: () => service.circuit,
  });
  const store = new PaymentStore(database);
  const feed = new PaymentFeed();
  const responses = new ServiceResponses();
  const polls = new PollPlan(database);
  const parts = { store, polls, feed, responses, service, metrics, clock, log, failpoint };
  const confirm = buildConfirm(parts);
  const share = Math.min(1, (database.pool?.options.max ?? 10) / 10);
  const confirms = new ConfirmQueue(confirm, log, Math.ceil(MOST_CONFIRMS * share));
  const tokens = [options.apiToken, options.previousApiToken].filter((one) => one !== undefined);
  const worker = new FulfilmentWorker({
    ...parts,
    fulfilments: new FulfilmentStore(database),
    fulfil: options.fulfil as Fulfil, // data is what `create` was given
    mostAtOnce: Math.ceil(MOST_FULFILMENTS * share),
  });
  const reconciler = new Reconciler({ ...parts, confirm, confirms });
  const planAgain = buildPlanAgain(database, clock);
  const prepare = async () => {
    await own.bind();
    await databaseClock.measure();
    await planAgain();
  };
  const tidy = async (signal: AbortSignal) => {
    await raiseAlerts(database, parts, signal);
    await tidyUp(database, clock.now(), signal);
  };
  const work = buildWork({ reconciler, worker, confirms, clock, prepare, tidy });
  const stops = [databaseClock.stop];
  const start = () => {
    worker.start();
    stops.push(reconciler.start(), startHousekeeping(database, clock, log));
    stops.push(startUnknownReferenceAlerts(database, parts));
    stops.push(startPlanningAgain(database, clock, log));
  };
  if (background) stops.push(own.beginOnceBound(start, clock));
  else await databaseClock.stop();

  return {
    ...parts,
    confirm,
    confirms,
    work,
    assertNotRejected: own.assertNotRejected,
    database,
    databaseKind: database.kind,
    publicKey: options.publicKey,
    receiveWebhook: buildReceiver({ ...parts, confirms, tokens }),
    async drain() {
      const cancel = realClock.after(SHUT_WITHIN_MS, () => void service.close());
      const stopped = stops.map((stop) => stop());
      await Promise.all([...stopped, confirms.stop(), worker.stop()]);
      cancel();
    },
    close,
  };
}
