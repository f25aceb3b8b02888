import { type PaymentRequest, referenceSchema } from '@service-pay/contract/payment-request-schema';
import * as v from 'valibot';

import {
  isFailure,
  orUnavailable,
  PaymentsError,
  rejectProblems,
  toPaymentsError,
} from './errors.ts';
import { watchState, writeEvents } from './events/watch.ts';
import type { Log } from './observe/log.ts';
import type { Metrics } from './observe/metrics.ts';
import { assertUsable, type PaymentsOptions } from './options.ts';
import { changeOwner } from './payments/change-owner.ts';
import {
  createOrder,
  findByIdempotencyKey,
  type NewOrder,
  type UsedKey,
} from './payments/create.ts';
import { findOwnerProblem } from './payments/order-problems.ts';
import { confirmOrder, inTime, type OrderState, readOrder } from './payments/order-state.ts';
import type { Payment, ShownPayment } from './payments/payment.ts';
import { ping } from './payments/ping.ts';
import { GIVES_UP_AT_AGE_MS } from './payments/reconciler.ts';
import { retryOrder } from './payments/retry.ts';
import { type RunningParts, startParts } from './start-parts.ts';
import { type Clock, keepAlive, keepAliveForEach } from './support/clock.ts';
import { shareResult } from './support/shared-result.ts';
import { explainConflict, openWriter, type Transaction } from './transaction.ts';
import type { WebhookRequest, WebhookResponse } from './webhooks/receive.ts';

/** The shop itself, which may read the payments of every owner. */
export const anyOwner: unique symbol = Symbol('any owner');

/** The owner of a payment. A wrong or missing owner gets the same error as an unknown reference. */
export interface Whose {
  owner: string | typeof anyOwner | undefined;
}

/** Options of `getPaid` that a payment does not contain (specification 2.1). */
export type CheckoutDetails = Pick<PaymentRequest, 'email'> &
  Partial<Pick<PaymentRequest, 'label' | 'customer' | 'billing' | 'bearer' | 'channels'>>;

/** How long one check of the database, or one reading of the metrics, is shared (T119). */
const SHARED_MS = 1_000;

/**
 * Opens the database and, unless `background` is false, starts reconciling and fulfilling. Fails with `invalid_request`, which
 * names every wrong option, or with `unavailable` and the reason if the database cannot be used.
 */
export async function createPayments<Data>(
  options: PaymentsOptions<Data>,
): Promise<Payments<Data>> {
  assertUsable(options);
  return new Payments<Data>(await perform(() => startParts(options)));
}

/**
 * A merchant's payments. While the database is down, each call fails with a `PaymentsError` of code
 * `unavailable` whose `cause` is the database's own error.
 */
export class Payments<Data = unknown> {
  /** @internal */
  readonly counters: Metrics;
  /** @internal */
  readonly clock: Clock;
  readonly log: Log;
  readonly #parts: RunningParts;
  readonly #stopping = new AbortController();
  /** The calls of `work` that have not returned. */
  readonly #passes = new Set<Promise<void>>();
  readonly #pinged = shareResult(SHARED_MS, () => perform(() => ping(this.#parts.database)));
  readonly #figures = shareResult(SHARED_MS, () => keepAlive(() => this.#parts.metrics.text()));
  #draining: Promise<void> | undefined;

  constructor(parts: RunningParts) {
    this.#parts = parts;
    this.clock = parts.clock;
    this.log = parts.log;
    this.counters = parts.metrics;
  }

  /**
   * Creates an order with its first payment, in the caller's own transaction if one is given.
   * Returns the earlier order if its `idempotencyKey` was used before, and fails with
   * `reference_used` if that was for another request. Fails with `invalid_request` if `transaction`
   * is anything but an open transaction on the shop's database; the message says what works.
   */
  async create(
    order: NewOrder<Data>,
    { transaction }: { transaction?: Transaction | null | undefined } = {},
  ): Promise<Payment<Data>> {
    const { payment } = await this.#countOrder(async () => {
      const { store, databaseKind, assertNotRejected } = this.#parts;
      assertNotRejected();
      const isGiven = transaction !== undefined && transaction !== null;
      const writer = isGiven ? await openWriter(transaction, databaseKind) : undefined;
      const placing = createOrder(order, store, this.clock.now(), writer);
      return writer ? placing.catch(explainConflict) : placing;
    });
    return payment;
  }

  /**
   * Finds the order created under an idempotency key, or undefined. Give the same `request`, or
   * `amount`, `currency` and `data` of an order created without one. Fails like `create`.
   */
  async findByIdempotencyKey(order: UsedKey<Data>): Promise<Payment<Data> | undefined> {
    const { payment } = await this.#countOrder(async () => {
      const { store, database } = this.#parts;
      const given = { store, db: database.db, now: this.clock.now() };
      return { payment: await findByIdempotencyKey(order, given), isNew: false };
    });
    return payment;
  }

  /** Returns exactly the options that `getPaid` takes, without callbacks (specification 2.1). */
  checkoutOptions(
    { reference, amount, currency }: Payment<Data>,
    { email, ...details }: CheckoutDetails,
  ): PaymentRequest {
    return { key: this.#parts.publicKey, email, reference, amount, currency, ...details };
  }

  /**
   * Verifies the payments of an order now and updates them (specification 4.2, rule 3). Fails with
   * `order_not_found`, or within ten seconds with `not_known_yet` (D52).
   */
  async confirm(reference: string, whose: Whose): Promise<OrderState> {
    const { own, payments } = await this.#find(reference, whose);
    return perform(() => inTime(this.clock, confirmOrder(own, payments, this.#parts)));
  }

  /**
   * Verifies and stores a webhook, confirms its payment in the background, and returns the response
   * to send. `rawBody` is the unparsed body, as bytes or text, or a function that reads it.
   * Unsigned webhooks are rejected before their body is read.
   */
  async receiveWebhook(request: WebhookRequest): Promise<WebhookResponse> {
    return keepAlive(() => this.#parts.receiveWebhook(request));
  }

  /**
   * Does what is due now: verifies payments, fulfils paid orders, tidies up. Resolves once nothing
   * is left, or when `signal` aborts or `forMs` have passed: running calls of `fulfil` then end as
   * failed, and are called again later. Fails with `unavailable`, and with `not_known_yet` if the
   * database is of an older version and the service cannot be reached.
   */
  async work({ signal, forMs }: { signal?: AbortSignal; forMs?: number } = {}): Promise<void> {
    const isTime = forMs === undefined || (typeof forMs === 'number' && forMs > 0);
    rejectProblems({ forMs: !isTime && 'must be a number of milliseconds above 0.' });
    const ending = new AbortController();
    const end = () => ending.abort();
    const cancel = forMs === undefined ? undefined : this.clock.after(forMs, end);
    const signals = [ending.signal, this.#stopping.signal, ...(signal ? [signal] : [])];
    const pass = perform(() => this.#parts.work(AbortSignal.any(signals)));
    this.#passes.add(pass);
    await pass.finally(() => {
      this.#passes.delete(pass);
      cancel?.();
    });
  }

  /**
   * Returns a payment for an unpaid order: its open one, however old, or a new one if the service
   * reports each earlier one as failed (D61). Verifies every payment of the order first. Fails with
   * `reference_used` if the order is paid, and with `not_known_yet` if it may be paid and the
   * service cannot be reached (D52).
   */
  async retry(
    reference: string,
    whose: Whose,
  ): Promise<{ payment: Payment<Data>; isNew: boolean }> {
    const { payments } = await this.#find(reference, whose);
    const { payment, isNew } = await perform(() => retryOrder(payments, this.#parts));
    return { payment: payment as Payment<Data>, isNew };
  }

  /** Finds a payment. Fails with the same `order_not_found` if it belongs to another owner. */
  async find(reference: string, whose: Whose): Promise<Payment<Data>> {
    return (await this.#find(reference, whose)).own;
  }

  /**
   * Finds the newest payment that an owner may still pay, also if nobody tried to pay it for a day:
   * its form may be open somewhere. Leaves out those that are no longer polled, after 30 days.
   */
  async findOpen({ owner }: { owner: string }): Promise<Payment<Data> | undefined> {
    rejectProblems({ owner: findOwnerProblem(owner) });
    const since = this.clock.now() - GIVES_UP_AT_AGE_MS;
    const open = await perform(() => this.#parts.store.findOpenPaymentOf(owner, since));
    return open as Payment<Data> | undefined;
  }

  /**
   * Gives the orders of a guest to the account that signs in, so that its pages go on finding them.
   * Call it at each sign-in: a second call changes nothing. Returns how many payments it moved.
   */
  async changeOwner(owners: { from: string; to: string }): Promise<number> {
    return perform(() => changeOwner(this.#parts.database, owners));
  }

  /**
   * Lists an owner's orders, newest first. Each is shown as the payment that paid it, otherwise the
   * one in review, otherwise the newest.
   */
  async list({ owner, limit = 50 }: { owner: string; limit?: number }): Promise<Payment<Data>[]> {
    const isCount = Number.isSafeInteger(limit) && limit > 0;
    rejectProblems({
      owner: findOwnerProblem(owner),
      limit: !isCount && 'must be a whole number above 0.',
    });
    return (await perform(() => this.#parts.store.findOrdersOf(owner, limit))) as Payment<Data>[];
  }

  /**
   * Verifies an order once and yields its state: at once, and after each change until the order is
   * decided, the signal aborts or `drain` is called. Fails with `order_not_found`.
   */
  async *watch(
    reference: string,
    { signal, ...whose }: Whose & { signal?: AbortSignal },
  ): AsyncGenerator<ShownPayment> {
    const states = this.#watch(await this.find(reference, whose), signal);
    for await (const shown of states) if (shown) yield shown;
  }

  /**
   * Returns what `watch` yields as the text of an event stream (`text/event-stream`), with heartbeats.
   * It ends after about 30 minutes. Fails with `order_not_found` and `stopping`.
   */
  async events(
    reference: string,
    { signal, ...whose }: Whose & { signal: AbortSignal },
  ): Promise<AsyncGenerator<string>> {
    if (this.#draining)
      throw new PaymentsError('stopping', 'The shop is stopping. Connect again in a moment.');
    const payment = await this.find(reference, whose);
    return writeEvents(this.#watch(payment, signal), this.clock);
  }

  /** Counts an order by its result, so that a rule sees in every shop whether customers can order. */
  async #countOrder<Result extends { payment: Payment<Data> | undefined; isNew: boolean }>(
    task: () => Promise<Result>,
  ): Promise<Result> {
    try {
      const result = await perform(task);
      if (result.payment) this.counters.countOrder(result.isNew ? 'created' : 'repeated');
      return result;
    } catch (thrown) {
      this.counters.countOrder(isFailure(toPaymentsError(thrown)) ? 'failed' : 'rejected');
      throw thrown;
    }
  }

  /** Finds a payment and all payments of its order, oldest first. */
  async #find(
    reference: string,
    { owner }: Whose,
  ): Promise<{ own: Payment<Data>; payments: Payment[] }> {
    const { store } = this.#parts;
    const mayBeThere = owner !== undefined && v.is(referenceSchema, reference);
    const payments = mayBeThere ? await perform(() => store.findSiblings(reference)) : [];
    const own = payments.find((payment) => payment.reference === reference);
    if (!own || (owner !== anyOwner && own.owner !== owner))
      throw new PaymentsError('order_not_found', 'This browser made no order with that reference.');
    return { own: own as Payment<Data>, payments };
  }

  async *#watch(
    { orderId }: Payment,
    signal?: AbortSignal,
  ): AsyncGenerator<ShownPayment | undefined> {
    const { feed, confirms } = this.#parts;
    const read = async () => (await readOrder(orderId, this.#parts)).shown;
    const watch = (wake: () => void) => feed.watch((moved) => moved === orderId && wake());
    confirms.add((await perform(read)).reference, 'page');
    const { signal: stopping } = this.#stopping;
    const ending = signal ? AbortSignal.any([signal, stopping]) : stopping;
    yield* keepAliveForEach(watchState({ read, watch }, this.clock, ending));
  }

  /**
   * Returns the metrics for Prometheus, cached for a second. `runtime: false` leaves out those of
   * the Node process, which your own registry may already have.
   */
  async metrics({ runtime = true }: { runtime?: boolean } = {}): Promise<{
    type: string;
    body: string;
  }> {
    const { type, own, runtime: ofProcess } = await this.#figures();
    return { type, body: runtime ? own + ofProcess : own };
  }

  /**
   * Checks that the database accepts writes, and returns the result of the last call to the
   * service. Fails with `unavailable`. The result is cached for a second.
   */
  async health(): Promise<{ database: 'reachable'; service: string; circuit: string }> {
    await this.#pinged();
    const { lastCall: service, circuit } = this.#parts.service;
    return { database: 'reachable', service, circuit };
  }

  /** Ends event streams, starts no more background work, and waits for running work. */
  drain(): Promise<void> {
    this.#stopping.abort();
    this.#draining ??= keepAlive(async () => {
      await Promise.allSettled([...this.#passes]);
      await this.#parts.drain();
    });
    return this.#draining;
  }

  /** Calls `drain`, then closes the database. */
  async close(): Promise<void> {
    await this.drain();
    await keepAlive(() => this.#parts.close());
  }
}

/** Keeps the process alive until the call has returned. Fails with `unavailable` (T92). */
function perform<Result>(task: () => Promise<Result>): Promise<Result> {
  return orUnavailable(keepAlive(task));
}
