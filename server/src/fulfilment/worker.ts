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

const FIRST_RETRY_MS = 2_000;
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
  /** The calls under way, by order. */
  readonly #calls = new Map<string, { ending: AbortController; ended: Promise<void> }>();
  readonly #mayLog: (key: string) => boolean;
  readonly #claiming: Promise<void>;
  #isStopping = false;
  #hasStopped = false;
  #holdsSuspect = false;
  #wake = () => {};

  constructor(deps: FulfilmentWorkerDeps) {
    this.#deps = { failpoint: noFailpoint, ...deps };
    this.#mayLog = buildThrottle(deps.clock, LOG_EVERY_MS);
    this.#claiming = this.#claimUntilStopped();
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#wake();
    await this.#claiming;
    const calls = [...this.#calls.values()];
    const stopWaiting = this.#deps.clock.after(STOP_WITHIN_MS, () => {
      this.#hasStopped = true;
      for (const { ending } of calls) ending.abort(new Error('The shop stops.'));
    });
    await Promise.all(calls.map(({ ended }) => ended));
    stopWaiting();
  }

  /** Claims what is due: every 500 ms, when something was paid, and when the last place is free. */
  async #claimUntilStopped(): Promise<void> {
    const { feed, clock, log } = this.#deps;
    const stopWatching = feed.watchAll(() => this.#wake());
    while (!this.#isStopping) {
      const woken = Promise.withResolvers<void>();
      this.#wake = woken.resolve;
      const cancel = clock.after(LOOK_EVERY_MS, woken.resolve);
      await this.#claim().catch((err: unknown) => {
        if (this.#mayLog('due')) log.error({ err }, 'fulfilment worker could not read what is due');
      });
      await woken.promise;
      cancel();
    }
    stopWatching();
  }

  async #claim(): Promise<void> {
    const { fulfilments, clock } = this.#deps;
    const inHand = () => [...this.#calls.keys()];
    const places = MOST_AT_ONCE - this.#calls.size;
    const claimed =
      places > 0
        ? await fulfilments.claim(this.#owner, clock.now(), LEASE_MS, places, inHand())
        : [];
    for (const held of claimed) this.#start(held);
    if (this.#holdsSuspect || this.#isStopping) return;
    // An order whose holders died with it is tried alone, so that it takes no other along (T112).
    const suspect = await fulfilments.claimSuspect(this.#owner, clock.now(), LEASE_MS, inHand());
    if (!suspect) return;
    this.#holdsSuspect = true;
    this.#start(suspect, () => {
      this.#holdsSuspect = false;
      this.#wake(); // deaths of other causes leave many suspects
    });
  }

  #start(held: ClaimedFulfilment, atEnd = () => {}): void {
    const { orderId, reference } = held;
    const ending = new AbortController();
    const ended = this.#handOver(held, ending)
      .catch((err: unknown) => {
        this.#deps.log.error({ err, reference }, 'fulfilment could not be written down');
      })
      .finally(() => {
        if (this.#calls.size >= MOST_AT_ONCE) this.#wake();
        this.#calls.delete(orderId);
        atEnd();
      });
    this.#calls.set(orderId, { ending, ended });
  }

  async #handOver(held: ClaimedFulfilment, ending: AbortController): Promise<void> {
    const { clock, failpoint } = this.#deps;
    if (held.attempts > MOST_ATTEMPTS) return this.#park(held, undefined);
    const end = (reason: string) => ending.abort(new Error(reason));
    const stopWaiting = clock.after(LONGEST_CALL_MS, () =>
      end('The call took longer than a minute.'),
    );
    const stopRenewing = this.#keep(held, () => end('Somebody else has taken the order over.'));
    let writeDown = () => this.#finish(held);
    try {
      await this.#call(held, ending.signal);
      await failpoint('after-fulfil');
    } catch (err) {
      writeDown = () => this.#postpone(held, err);
    }
    stopWaiting();
    await writeDown().finally(stopRenewing);
  }

  #keep(held: ClaimedFulfilment, onLost: () => void): () => void {
    const { fulfilments, clock, log } = this.#deps;
    const { reference } = held;
    return repeat(clock, RENEW_EVERY_MS, async () => {
      try {
        if (!(await fulfilments.renew(held, this.#owner, clock.now(), LEASE_MS))) onLost();
      } catch (err) {
        if (this.#mayLog('renewal')) log.warn({ err, reference }, 'lease not renewed');
      }
    });
  }

  async #call({ orderId, reference }: ClaimedFulfilment, signal: AbortSignal): Promise<void> {
    const { store, fulfil, log } = this.#deps;
    const payment = await store.findPayment(reference);
    if (!payment) throw new Error('The payment of a fulfilment is gone.');
    const { owner, data, amount, currency } = payment;
    const order = { id: orderId, reference, owner, data, amount, currency };
    const givenUp = Promise.withResolvers<never>();
    signal.addEventListener('abort', () => givenUp.reject(signal.reason as Error));
    // async, for a function that throws instead of rejecting
    const callFulfil = async () => fulfil(order, { signal, log });
    await Promise.race([callFulfil(), givenUp.promise]);
  }

  async #finish(held: ClaimedFulfilment): Promise<void> {
    const { clock, log } = this.#deps;
    const { reference } = held;
    if (!(await this.#letGo(held, { state: 'done', done_at: clock.now() })))
      log.warn({ reference }, 'fulfil succeeded after another worker took over the order');
  }

  async #postpone(held: ClaimedFulfilment, err: unknown): Promise<void> {
    const { clock, log } = this.#deps;
    const { reference, attempts } = held;
    if (this.#hasStopped) {
      await this.#letGo(held, { due_at: clock.now() + STILL_RUNS_MS });
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
    const { reference } = held;
    for (let tries = 1; ; tries++) {
      try {
        return await fulfilments.letGo(held, this.#owner, values);
      } catch (err) {
        if (this.#hasStopped) throw err;
        const message = 'result of fulfil not yet written down: tried until it is';
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
