import { randomUUID } from 'node:crypto';
import type { PaymentFeed } from '../events/bus.ts';
import type { Log } from '../observe/log.ts';
import type { Metrics } from '../observe/metrics.ts';
import type { ShopStore } from '../payments/store.ts';
import { buildThrottle, type Clock, pause, repeat } from '../support/clock.ts';
import { type Failpoint, noFailpoint } from '../support/failpoint.ts';
import type { Fulfil } from './fulfil.ts';
import type { ClaimedFulfilment, FulfilmentStore, LetGo } from './store.ts';

const LOOK_EVERY_MS = 500;

/** A worker that dies loses what it holds after this; a live one renews well before. */
const LEASE_MS = 2_000;
const RENEW_EVERY_MS = 500;

const WRITE_AGAIN_MS = 1_000;

const MOST_ATTEMPTS = 10;
const MOST_AT_ONCE = 100;
const LONGEST_CALL_MS = 60_000;

/** The time that calls under way get to end after shutdown begins. */
const STOP_WITHIN_MS = 5_000;

/** The time that a call which did not end by then may run on, until its process has ended. */
const STILL_RUNS_MS = 5_000;

export const FIRST_RETRY_MS = 2_000;
const LONGEST_PAUSE_MS = 60 * 60_000;

const LONGEST_ERROR = 500;

const LOG_EVERY_MS = 60_000;

export interface FulfilmentWorkerDeps {
  store: ShopStore;
  fulfilments: FulfilmentStore;
  feed: PaymentFeed;
  fulfil: Fulfil;
  metrics: Metrics;
  clock: Clock;
  log: Log;
  failpoint?: Failpoint;
}

/**
 * Calls the merchant's function for every paid order until it succeeds, one call at a time for each
 * while its holder lives; after ten failures it parks the order and raises an alert. Runs until
 * `stop`, which waits for calls under way.
 */
export class FulfilmentWorker {
  readonly #deps: Required<FulfilmentWorkerDeps>;
  readonly #owner = randomUUID();
  readonly #held = new Set<string>();
  readonly #running = new Set<Promise<void>>();
  readonly #stopping = new AbortController();
  readonly #mayLog: (key: string) => boolean;
  readonly #stops: (() => void)[];
  #isStopping = false;
  #claiming: Promise<void> | undefined;
  /** Something was paid, or a claim took as many as it could, since the last claim began. */
  #mayBeMore = false;
  #holdsSuspect = false;

  constructor(deps: FulfilmentWorkerDeps) {
    this.#deps = { failpoint: noFailpoint, ...deps };
    const { feed, clock } = deps;
    this.#mayLog = buildThrottle(clock, LOG_EVERY_MS);
    this.#stops = [
      feed.watchAll(() => void this.#look()),
      repeat(clock, LOOK_EVERY_MS, () => this.#look()),
    ];
  }

  async stop(): Promise<void> {
    for (const stop of this.#stops) stop();
    this.#isStopping = true;
    await this.#claiming;
    const stopWaiting = this.#deps.clock.after(STOP_WITHIN_MS, () =>
      this.#stopping.abort(new Error('The shop stops.')),
    );
    await Promise.all(this.#running);
    stopWaiting();
  }

  #look(): Promise<void> {
    this.#mayBeMore = true;
    this.#claiming ??= this.#claim().finally(() => {
      this.#claiming = undefined;
      if (this.#mayClaim()) void this.#look();
    });
    return this.#claiming;
  }

  async #claim(): Promise<void> {
    const { fulfilments, clock, log } = this.#deps;
    try {
      while (this.#mayClaim()) {
        this.#mayBeMore = false;
        const free = MOST_AT_ONCE - this.#running.size;
        const inHand = [...this.#held];
        const claimed = await fulfilments.claim(this.#owner, clock.now(), LEASE_MS, free, inHand);
        for (const one of claimed) this.#start(one);
        if (claimed.length === free) this.#mayBeMore = true;
      }
      if (!this.#holdsSuspect && !this.#isStopping) await this.#claimSuspect();
    } catch (err) {
      if (this.#mayLog('due')) log.error({ err }, 'fulfilment worker could not read what is due');
    }
  }

  #mayClaim(): boolean {
    return this.#mayBeMore && this.#running.size < MOST_AT_ONCE && !this.#isStopping;
  }

  /** Tries an order whose holders died with it alone, so that it takes no other along (T112). */
  async #claimSuspect(): Promise<void> {
    const { fulfilments, clock } = this.#deps;
    const inHand = [...this.#held];
    const suspect = await fulfilments.claimSuspect(this.#owner, clock.now(), LEASE_MS, inHand);
    if (!suspect) return;
    this.#holdsSuspect = true;
    this.#start(suspect, () => {
      this.#holdsSuspect = false;
      void this.#look(); // deaths of other causes leave many suspects
    });
  }

  #start(held: ClaimedFulfilment, atEnd = () => {}): void {
    const { orderId, reference } = held;
    this.#held.add(orderId);
    const run = this.#handOver(held)
      .catch((err: unknown) => {
        this.#deps.log.error({ err, reference }, 'fulfilment could not be written down');
      })
      .finally(() => {
        this.#running.delete(run);
        this.#held.delete(orderId);
        atEnd();
        if (this.#mayClaim()) void this.#look();
      });
    this.#running.add(run);
  }

  async #handOver(held: ClaimedFulfilment): Promise<void> {
    const { clock, failpoint } = this.#deps;
    if (held.attempts > MOST_ATTEMPTS) return this.#park(held, undefined);
    const ending = new AbortController();
    const stopWaiting = clock.after(LONGEST_CALL_MS, () =>
      ending.abort(new Error('The call took longer than a minute.')),
    );
    const stopRenewing = this.#keep(held, () =>
      ending.abort(new Error('Somebody else has taken the order over.')),
    );
    try {
      await this.#call(held, AbortSignal.any([ending.signal, this.#stopping.signal]));
      await failpoint('after-fulfil');
    } catch (err) {
      stopWaiting();
      await this.#postpone(held, err).finally(stopRenewing);
      return;
    }
    stopWaiting();
    await this.#finish(held).finally(stopRenewing);
  }

  #keep(held: ClaimedFulfilment, onLost: () => void): () => void {
    const { fulfilments, clock, log } = this.#deps;
    return repeat(clock, RENEW_EVERY_MS, async () => {
      const isHeld = await fulfilments
        .renew(held, this.#owner, clock.now(), LEASE_MS)
        .catch((err: unknown) => {
          const { reference } = held;
          if (this.#mayLog('renewal')) log.warn({ err, reference }, 'lease not renewed');
          return true;
        });
      if (!isHeld) onLost();
    });
  }

  async #call({ orderId, reference }: ClaimedFulfilment, signal: AbortSignal): Promise<void> {
    const { store, fulfil, log } = this.#deps;
    const payment = await store.findPayment(reference);
    if (!payment) throw new Error('The payment of a fulfilment is gone.');
    const { owner, data, amount, currency } = payment;
    const order = { id: orderId, reference, owner, data, amount, currency };
    const givenUp = Promise.withResolvers<never>();
    const giveUp = () => givenUp.reject(signal.reason as Error);
    // async, for a function that throws instead of rejecting
    const callFulfil = async () => fulfil(order, { signal, log });
    signal.addEventListener('abort', giveUp, { once: true });
    await Promise.race([callFulfil(), givenUp.promise]).finally(() =>
      signal.removeEventListener('abort', giveUp),
    );
  }

  async #finish(held: ClaimedFulfilment): Promise<void> {
    const { clock, log } = this.#deps;
    if (!(await this.#letGo(held, { state: 'done', done_at: clock.now() })))
      log.warn(
        { reference: held.reference },
        'fulfil succeeded after another worker took over the order',
      );
  }

  async #postpone(held: ClaimedFulfilment, err: unknown): Promise<void> {
    const { fulfilments, clock, log } = this.#deps;
    const { reference, attempts } = held;
    if (this.#stopping.signal.aborted) {
      await fulfilments.letGo(held, this.#owner, { due_at: clock.now() + STILL_RUNS_MS });
      return;
    }
    if (attempts >= MOST_ATTEMPTS) return this.#park(held, err);
    log.warn({ err, reference, attempts }, 'fulfil failed, will retry');
    const due_at = clock.now() + Math.min(FIRST_RETRY_MS * 2 ** (attempts - 1), LONGEST_PAUSE_MS);
    await this.#letGo(held, { due_at, last_error: describeFailure(err, log) });
  }

  async #park(held: ClaimedFulfilment, err: unknown): Promise<void> {
    const { metrics, log } = this.#deps;
    const { reference } = held;
    const why = err === undefined ? {} : { last_error: describeFailure(err, log) };
    if (!(await this.#letGo(held, { state: 'parked', ...why }))) return;
    metrics.countAlert('fulfilment_parked');
    const message = 'order not handed over after ten attempts: parked until a person redrives it';
    log.error({ err, reference }, message);
  }

  /**
   * Tries until the database answers or the shop has stopped. The order is held meanwhile, so that
   * this worker does not call again. Returns false if another worker had taken over.
   */
  async #letGo(held: ClaimedFulfilment, values: LetGo): Promise<boolean> {
    const { fulfilments, clock, log } = this.#deps;
    for (let tries = 1; ; tries++) {
      try {
        return await fulfilments.letGo(held, this.#owner, values);
      } catch (err) {
        if (this.#stopping.signal.aborted) throw err;
        const message = 'result of fulfil not yet written down: tried until it is';
        const { reference } = held;
        if (tries === 1) log.warn({ err, reference, result: values.state ?? 'failed' }, message);
        await pause(clock, WRITE_AGAIN_MS);
      }
    }
  }
}

function describeFailure(err: unknown, log: Log): string {
  const text = err instanceof Error ? `${err.name}: ${err.message}` : `Not an Error: ${typeof err}`;
  const line = (typeof err === 'string' ? err : text).replace(/[\p{C}\s]+/gu, ' ').trim();
  return log.maskText(line).slice(0, LONGEST_ERROR).toWellFormed();
}
