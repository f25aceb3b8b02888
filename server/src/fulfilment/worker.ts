import { randomUUID } from 'node:crypto';
import { buildFailureLog, failureFields, isPassing } from '../observe/failure-log.ts';
import type { SharedParts } from '../payments/shared-parts.ts';
import { buildThrottle, pause, pauseUntil, repeat } from '../support/clock.ts';
import { type Failpoint, noFailpoint } from '../support/failpoint.ts';
import { traced } from '../support/tracing.ts';
import { describeFailure } from './describe-failure.ts';
import type { Fulfil } from './fulfil.ts';
import type { ClaimedFulfilment, FulfilmentStore, Release } from './store.ts';

const LOOK_AGAIN_MS = 500;

/**
 * How long a claim survives its worker. A live worker renews well before, also on a machine so busy
 * that a renewal takes seconds.
 */
export const LEASE_MS = 4_000;
const RENEW_EVERY_MS = 500;

const WRITE_AGAIN_MS = 1_000;

const MOST_ATTEMPTS = 10;
const LONGEST_CALL_MS = 60_000;

/** How long running calls may take to finish after shutdown begins. */
const STOP_WITHIN_MS = 5_000;

/** How long a call that did not finish by then may still run, until its process has ended. */
const STILL_RUNS_MS = 5_000;

const FIRST_RETRY_MS = 2_000;
const LONGEST_PAUSE_MS = 60 * 60_000;

const LOG_EVERY_MS = 60_000;

interface Call {
  readonly held: ClaimedFulfilment;
  ending: AbortController;
  ended: Promise<void>;
  /** There is no more time: what is left to do is left to another call. */
  isStopped: boolean;
}

interface WorkerParts extends Pick<SharedParts, 'feed' | 'metrics' | 'clock' | 'log'> {
  fulfilments: FulfilmentStore;
  fulfil: Fulfil;
  failpoint?: Failpoint;
  mostAtOnce: number;
}

/**
 * Calls the merchant's function for every paid order until it succeeds, one call at a time for each
 * order while its holder lives. Parks the order and raises an alert after ten failures.
 */
export class FulfilmentWorker {
  readonly #parts: Required<WorkerParts>;
  readonly #owner = randomUUID();
  readonly #mayLog: (key: string) => boolean;
  /** Running calls, by order. */
  readonly #calls = new Map<string, Call>();
  /** Orders whose function has not returned, also after its call was given up. */
  readonly #runningOn = new Set<string>();
  #claiming: Promise<void> | undefined;
  #stopRenewing: (() => void) | undefined;
  #wake = () => {};
  #isStopping = false;
  #holdsSuspect = false;

  constructor(parts: WorkerParts) {
    this.#parts = { failpoint: noFailpoint, ...parts };
    this.#mayLog = buildThrottle(parts.clock, LOG_EVERY_MS);
  }

  /** Claims what is due until `stop`. */
  start(): void {
    this.#claiming ??= this.#claimUntilStopped();
  }

  /** Stops claiming, and waits for running calls. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#wake();
    await this.#claiming;
    const running = [...this.#calls.values()];
    const stopWaiting = this.#parts.clock.after(STOP_WITHIN_MS, () =>
      endCalls(running, 'The shop shut down before the call ended.'),
    );
    await Promise.all(running.map(({ ended }) => ended));
    stopWaiting();
  }

  /**
   * Claims once what is due and waits for the calls, which end when `signal` aborts. Returns how
   * many there were.
   */
  async pass(signal: AbortSignal): Promise<number> {
    if (signal.aborted || this.#isStopping) return 0;
    const calls = await this.#claim();
    const end = () => endCalls(calls, 'The time of this pass was over before the call ended.');
    if (signal.aborted) end();
    signal.addEventListener('abort', end);
    await Promise.all(calls.map(({ ended }) => ended));
    signal.removeEventListener('abort', end);
    return calls.length;
  }

  /**
   * Claims what is due: at the time that is known, when another worker's lease ends, after each
   * payment and each failure in this process, when a full worker has a free slot, and every five
   * seconds for what others wrote.
   */
  async #claimUntilStopped(): Promise<void> {
    const { feed, clock, log } = this.#parts;
    const failures = buildFailureLog(clock, log);
    const stopWatching = feed.watch(() => this.#wake());
    while (!this.#isStopping) {
      const woken = Promise.withResolvers<void>();
      this.#wake = woken.resolve;
      const dueAt = await this.#claimIfDue().catch((err: unknown) => {
        failures.failed('due fulfilments not read, will retry', err);
        return undefined;
      });
      if (dueAt !== undefined) failures.worked();
      const cancel = clock.after(pauseUntil(dueAt ?? 0, clock, LOOK_AGAIN_MS), woken.resolve);
      await woken.promise;
      cancel();
    }
    stopWatching();
  }

  /** Returns when to look again. */
  async #claimIfDue(): Promise<number> {
    const { fulfilments, clock } = this.#parts;
    const dueAt = await fulfilments.findNextDue(clock.now(), this.#findRunning());
    if (dueAt <= clock.now()) await this.#claim();
    return dueAt;
  }

  async #claim(): Promise<Call[]> {
    const { fulfilments, clock } = this.#parts;
    const calls: Call[] = [];
    const free = this.#parts.mostAtOnce - this.#calls.size;
    const running = this.#findRunning();
    if (free > 0) {
      const claimed = await fulfilments.claim({
        owner: this.#owner,
        now: clock.now(),
        leaseMs: LEASE_MS,
        limit: free,
        running,
      });
      for (const held of claimed) calls.push(this.#start(held));
    }
    if (!this.#holdsSuspect && !this.#isStopping) calls.push(...(await this.#claimSuspect()));
    return calls;
  }

  /**
   * Claims an order whose holders died, one at a time, so that it takes no other order down (T112).
   */
  async #claimSuspect(): Promise<Call[]> {
    const { fulfilments, clock } = this.#parts;
    const running = this.#findRunning();
    const suspect = await fulfilments.claimSuspect({
      owner: this.#owner,
      now: clock.now(),
      leaseMs: LEASE_MS,
      running,
    });
    if (!suspect) return [];
    this.#holdsSuspect = true;
    const call = this.#start(suspect, () => {
      this.#holdsSuspect = false;
      this.#wake(); // there may be many suspects, if the deaths had other causes
    });
    return [call];
  }

  /** Returns the orders of which this process calls none again. */
  #findRunning(): string[] {
    return [...new Set([...this.#calls.keys(), ...this.#runningOn])];
  }

  #start(held: ClaimedFulfilment, atEnd = () => {}): Call {
    const { orderId, reference } = held;
    const call: Call = {
      held,
      ending: new AbortController(),
      ended: Promise.resolve(),
      isStopped: false,
    };
    this.#calls.set(orderId, call);
    this.#stopRenewing ??= this.#renewLeases();
    call.ended = this.#fulfil(held, call)
      .catch((err: unknown) => {
        const level = isPassing(err) ? 'warn' : 'error';
        this.#parts.log[level](
          { ...failureFields(err), reference },
          'fulfilment result not recorded',
        );
      })
      .finally(() => {
        if (this.#calls.size >= this.#parts.mostAtOnce) this.#wake();
        this.#calls.delete(orderId);
        if (this.#calls.size === 0) this.#endRenewing();
        atEnd();
      });
    return call;
  }

  async #fulfil(held: ClaimedFulfilment, call: Call): Promise<void> {
    const { metrics, clock, log } = this.#parts;
    const { reference } = held;
    const { ending } = call;
    const { signal } = ending;
    const end = (reason: string) => ending.abort(new Error(reason));
    const stopWaiting = clock.after(LONGEST_CALL_MS, () =>
      end('The call took longer than a minute.'),
    );
    const traceable = { orderId: held.orderId, reference, attempt: held.attempts };
    const called = traced('fulfil', traceable, () => this.#call(held, signal));
    const failure = await called.then(
      () => undefined,
      (err: unknown) => ({ err: signal.aborted ? signal.reason : err }),
    );
    stopWaiting();
    const result = failure
      ? this.#resultOfFailure(held, failure.err, call)
      : { state: 'done' as const, done_at: clock.now() };
    const isOurs = await this.#release(held, result, call);
    if (!result.state) this.#wake(); // it is due again soon
    if (result.state === 'done' && isOurs) log.info({ reference }, 'order fulfilled');
    if (result.state === 'done' && !isOurs)
      log.warn({ reference }, 'fulfil succeeded after the lease was lost');
    if (result.state !== 'parked' || !isOurs) return;
    metrics.countAlert('fulfilment_parked');
    const message = 'fulfilment failed 10 times; order parked';
    log.error({ ...failure, reference }, message);
  }

  /** Renews the leases of all running calls together. Aborts calls whose order was taken over. */
  #renewLeases(): () => void {
    const { fulfilments, clock, log } = this.#parts;
    return repeat(clock, RENEW_EVERY_MS, async () => {
      const calls = [...this.#calls.values()];
      const leases = calls.map(({ held }) => held);
      try {
        const renewed = await fulfilments.renew(leases, {
          owner: this.#owner,
          now: clock.now(),
          leaseMs: LEASE_MS,
        });
        for (const { held, ending } of calls)
          if (!renewed.has(held.orderId))
            ending.abort(new Error('Another worker has taken over the order.'));
      } catch (err) {
        if (this.#mayLog('renewal'))
          log.warn({ ...failureFields(err), count: leases.length }, 'leases not renewed');
      }
    });
  }

  #endRenewing(): void {
    this.#stopRenewing?.();
    this.#stopRenewing = undefined;
  }

  async #call(held: ClaimedFulfilment, signal: AbortSignal): Promise<void> {
    const { fulfil, log, failpoint } = this.#parts;
    const { orderId: id, reference, owner, data, amount, currency, attempts, lastError } = held;
    if (attempts > MOST_ATTEMPTS) throw new Error(`No attempt is left: ${lastError}`);
    const order = { id, reference, owner, data: JSON.parse(data), amount, currency };
    const givenUp = Promise.withResolvers<never>();
    signal.addEventListener('abort', () => givenUp.reject(signal.reason as Error));
    // async, because the function may throw instead of rejecting
    const callFulfil = async () => fulfil(order, { signal, log });
    this.#runningOn.add(id);
    const running = callFulfil().finally(() => {
      this.#runningOn.delete(id);
      if (signal.aborted) this.#wake();
    });
    await Promise.race([running, givenUp.promise]);
    await failpoint('after-fulfil');
  }

  #resultOfFailure(
    { reference, attempts }: ClaimedFulfilment,
    err: unknown,
    { isStopped }: Call,
  ): Release {
    const { clock, log } = this.#parts;
    if (attempts > MOST_ATTEMPTS) return { state: 'parked' }; // with the last error as it is
    const last_error = describeFailure(err, log);
    if (attempts === MOST_ATTEMPTS) return { state: 'parked', last_error };
    log.warn({ err, reference, attempts }, 'fulfil failed, will retry');
    const pauseMs = isStopped
      ? STILL_RUNS_MS
      : Math.min(FIRST_RETRY_MS * 2 ** (attempts - 1), LONGEST_PAUSE_MS);
    return { due_at: clock.now() + pauseMs, last_error };
  }

  /**
   * Retries until the result is recorded or the call is stopped. Meanwhile this worker still holds
   * the order and does not call again. Returns false if another worker had taken over.
   */
  async #release(held: ClaimedFulfilment, values: Release, call: Call): Promise<boolean> {
    const { fulfilments, clock, log } = this.#parts;
    const { reference } = held;
    for (let tries = 1; ; tries++) {
      try {
        return await fulfilments.release(held, this.#owner, values);
      } catch (err) {
        if (call.isStopped) throw err;
        const message = 'fulfilment result not recorded, will retry';
        const result = values.state ?? 'failed';
        if (tries === 1) log.warn({ ...failureFields(err), reference, result }, message);
        await pause(clock, WRITE_AGAIN_MS);
      }
    }
  }
}

function endCalls(calls: readonly Call[], why: string): void {
  for (const call of calls) {
    call.isStopped = true;
    call.ending.abort(new Error(why));
  }
}
