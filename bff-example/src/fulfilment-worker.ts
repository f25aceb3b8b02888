import { randomUUID } from 'node:crypto';

import { buildThrottle, type Clock, pause, repeat } from './clock.ts';
import { type Failpoint, noFailpoint } from './failpoint.ts';
import type { Fulfil } from './fulfil.ts';
import { FulfilmentClaims } from './fulfilment-claims.ts';
import type { ClaimedFulfilment, FulfilmentStore } from './fulfilment-store.ts';
import type { Log } from './log.ts';
import type { Metrics } from './metrics.ts';
import type { PaymentFeed } from './payment-feed.ts';
import type { ShopStore } from './shop-store.ts';

const LOOK_EVERY_MS = 500;
const MOST_ATTEMPTS = 10;
const LONGEST_CALL_MS = 60_000;

/**
 * Calls at once. One that takes longer than `SLOW_AFTER_MS` leaves its place to another: what hangs
 * holds up nobody.
 */
const MOST_AT_ONCE = 32;
const SLOW_AFTER_MS = 2_000;
const MOST_SLOW = 256;

/** A holder renews well before its lease ends; a dead one's row is free again after it. */
export const LEASE_MS = 2_000;
const RENEW_EVERY_MS = 500;

/** What calls under way get to end in when the shop stops. */
const STOP_WITHIN_MS = 5_000;

/**
 * One that did not end goes on until its process has ended, at the latest so long after
 * (`main.ts`).
 */
const STILL_RUNS_MS = 5_000;

/** The pause before the second attempt. Each further one is twice the last. */
export const FIRST_RETRY_MS = 2_000;
const LONGEST_PAUSE_MS = 60 * 60_000;

/**
 * The pause between two tries to write down how a call ended. There are as many as it takes: it
 * would else be made again too soon.
 */
const WRITE_AGAIN_MS = 1_000;

/**
 * While the database is away nothing that is held is renewed, and each would say so twice a second.
 */
const TELL_EVERY_MS = 60_000;

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
 * Hands every paid order to the merchant's function until it succeeds, one call at a time for each
 * while its holder lives; after ten failures the order is parked and an alert logged. Runs until
 * `stop`, which waits for calls under way.
 */
export function startFulfilmentWorker(deps: FulfilmentWorkerDeps): { stop(): Promise<void> } {
  const { store, fulfilments, feed, fulfil, metrics, clock, log, failpoint = noFailpoint } = deps;
  const owner = randomUUID();
  const running = new Set<Promise<void>>();
  /** What this worker holds, by order. */
  const held = new Map<string, ClaimedFulfilment>();
  const claims = new FulfilmentClaims({
    fulfilments,
    owner,
    leaseMs: LEASE_MS,
    clock,
    isInHand: (orderId) => held.has(orderId),
  });
  const stopping = new AbortController();
  const mayTell = buildThrottle(clock, TELL_EVERY_MS);
  let slow = 0;
  let isBusyWithSuspect = false;
  let isStopping = false;
  let claiming: Promise<void> | undefined;
  let claimingSuspect: Promise<void> | undefined;
  /** Something was paid, or a claim was cut short, since the last claim began. */
  let mayBeMore = false;

  const stops = [
    feed.watchAll(() => void look()),
    repeat(clock, LOOK_EVERY_MS, () => Promise.all([look(), lookForSuspect()]).then(() => {})),
  ];
  return {
    async stop() {
      for (const stop of stops) stop();
      isStopping = true;
      await Promise.all([claiming, claimingSuspect]);
      const stopWaiting = clock.after(STOP_WITHIN_MS, () =>
        stopping.abort(new Error('The shop stops.')),
      );
      await Promise.all(running);
      stopWaiting();
    },
  };

  function look(): Promise<void> {
    mayBeMore = true;
    claiming ??= claimAll().finally(() => {
      claiming = undefined;
      if (mayClaim()) void look();
    });
    return claiming;
  }

  function mayClaim(): boolean {
    return mayBeMore && countFree() > 0 && !isStopping;
  }

  function countFree(): number {
    return Math.min(MOST_AT_ONCE - (running.size - slow), MOST_SLOW - running.size);
  }

  async function claimAll(): Promise<void> {
    try {
      while (mayClaim()) {
        mayBeMore = false;
        const free = countFree();
        const claimed = await claims.claim(free);
        for (const one of claimed) start(one);
        if (claimed.length === free) mayBeMore = true;
      }
    } catch (err) {
      if (mayTell('due')) log.error({ err }, 'fulfilment worker could not read what is due');
    }
  }

  async function lookForSuspect(): Promise<void> {
    if (isBusyWithSuspect || isStopping) return;
    isBusyWithSuspect = true;
    claimingSuspect = claimSuspect();
    await claimingSuspect;
  }

  async function claimSuspect(): Promise<void> {
    const suspect = await claims.claimSuspect().catch((err: unknown) => {
      if (mayTell('suspect'))
        log.error({ err }, 'fulfilment worker could not read what is suspect');
      return undefined;
    });
    isBusyWithSuspect = suspect !== undefined;
    if (suspect) {
      start(suspect, () => {
        isBusyWithSuspect = false;
        // deaths that had other causes leave many, and each is for a customer who waits
        void lookForSuspect();
      });
    }
  }

  function start(claimed: ClaimedFulfilment, atEnd = () => {}): void {
    const own = held.get(claimed.orderId);
    if (own) {
      // Its lease ran out while this machine or the database stood still. The call goes on, under
      // the new lease.
      Object.assign(own, claimed);
      atEnd();
      return;
    }
    held.set(claimed.orderId, claimed);
    let isSlow = false;
    const stopWatching = clock.after(SLOW_AFTER_MS, () => {
      isSlow = true;
      slow += 1;
      void look();
    });
    const run = handOver(claimed)
      .catch((err: unknown) => {
        log.error({ err, reference: claimed.reference }, 'fulfilment could not be written down');
      })
      .finally(() => {
        stopWatching();
        if (isSlow) slow -= 1;
        running.delete(run);
        held.delete(claimed.orderId);
        claims.noteEnd(claimed.orderId);
        atEnd();
        if (mayClaim()) void look();
      });
    running.add(run);
  }

  async function handOver(claimed: ClaimedFulfilment): Promise<void> {
    const { reference, attempts } = claimed;
    if (attempts > MOST_ATTEMPTS) return park(claimed, undefined);
    const ending = new AbortController();
    const stopWaiting = clock.after(LONGEST_CALL_MS, () =>
      ending.abort(new Error('The call took longer than a minute.')),
    );
    const stopRenewing = repeat(clock, RENEW_EVERY_MS, async () => {
      const isHeld = await writeAsHolder(claimed, () =>
        fulfilments.renew(claimed, owner, clock.now(), LEASE_MS),
      ).catch((err: unknown) => {
        if (mayTell('renewal')) log.warn({ err, reference }, 'lease not renewed');
        return true;
      });
      if (!isHeld) ending.abort(new Error('Somebody else has taken the order over.'));
    });
    try {
      await call(claimed, AbortSignal.any([ending.signal, stopping.signal]));
      await failpoint('after-fulfil');
    } catch (err) {
      stopWaiting();
      await postpone(claimed, err).finally(stopRenewing);
      return;
    }
    stopWaiting();
    await writeSuccess(claimed).finally(stopRenewing);
  }

  /** The merchant's function, given up on where it does not end in time. */
  async function call(
    { orderId, reference }: ClaimedFulfilment,
    signal: AbortSignal,
  ): Promise<void> {
    const order = await store.findOrder(orderId);
    if (!order) throw new Error('The order of a fulfilment is gone.');
    const givenUp = Promise.withResolvers<never>();
    const giveUp = () => givenUp.reject(signal.reason as Error);
    // async, for one that throws at once
    const callFulfil = async () => fulfil({ ...order, reference }, { signal, log });
    signal.addEventListener('abort', giveUp, { once: true });
    await Promise.race([callFulfil(), givenUp.promise]).finally(() =>
      signal.removeEventListener('abort', giveUp),
    );
  }

  async function writeSuccess(claimed: ClaimedFulfilment): Promise<void> {
    const { reference } = claimed;
    const isDone = await writeUntilAnswered(
      claimed,
      (again) => fulfilments.finish(claimed, owner, again),
      (err) => {
        log.warn(
          { err, reference },
          'order handed over, but not yet written down: tried until it is',
        );
      },
    );
    metrics.countFulfilment(isDone ? 'done' : 'taken_over');
    if (!isDone) log.warn({ reference }, 'order handed over, but somebody else had taken it over');
  }

  /**
   * Tries until it is written, or the shop has stopped. The order is held meanwhile, so that this
   * worker does not call again.
   */
  async function writeUntilAnswered(
    claimed: ClaimedFulfilment,
    write: (again: boolean) => Promise<boolean>,
    tellOfFirst: (err: unknown) => void,
  ): Promise<boolean> {
    for (let tries = 1; ; tries++) {
      try {
        return await writeAsHolder(claimed, () => write(tries > 1));
      } catch (err) {
        if (stopping.signal.aborted) throw err;
        if (tries === 1) tellOfFirst(err);
        await pause(clock, WRITE_AGAIN_MS);
      }
    }
  }

  /**
   * Writes again where this worker itself took the order over, having lost its lease while the
   * database stood still (T112).
   */
  async function writeAsHolder(
    claimed: ClaimedFulfilment,
    write: () => Promise<boolean>,
  ): Promise<boolean> {
    for (;;) {
      const { leaseVersion } = claimed;
      if (await write()) return true;
      // It is read, for the answer of that claim may be late or lost.
      const newer = await fulfilments.findLeaseVersion(claimed.orderId, owner);
      if (newer === undefined || newer === leaseVersion) return false;
      claimed.leaseVersion = newer;
    }
  }

  async function postpone(claimed: ClaimedFulfilment, err: unknown): Promise<void> {
    const { reference, attempts } = claimed;
    if (stopping.signal.aborted)
      return void (await fulfilments.postpone(claimed, owner, clock.now() + STILL_RUNS_MS));
    metrics.countFulfilment('failed');
    if (attempts >= MOST_ATTEMPTS) return park(claimed, err);
    log.warn({ err, reference, attempts }, 'order not handed over: tried again');
    const dueAt = clock.now() + Math.min(FIRST_RETRY_MS * 2 ** (attempts - 1), LONGEST_PAUSE_MS);
    await writeUntilAnswered(
      claimed,
      (again) => fulfilments.postpone(claimed, owner, dueAt, again),
      (cause) => {
        log.warn(
          { err: cause, reference },
          'order not handed over, and that not yet written down: tried until it is',
        );
      },
    );
  }

  async function park(claimed: ClaimedFulfilment, err: unknown): Promise<void> {
    const { reference } = claimed;
    const isParked = await writeUntilAnswered(
      claimed,
      (again) => fulfilments.park(claimed, owner, again),
      (cause) => {
        log.warn(
          { err: cause, reference },
          'order not handed over after ten attempts, and not yet parked: tried until it is',
        );
      },
    );
    if (!isParked) return;
    metrics.countAlert('fulfilment_parked');
    log.error(
      { err, reference },
      'order not handed over after ten attempts: parked until a person redrives it',
    );
  }
}
