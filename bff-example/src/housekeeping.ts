import { buildThrottle, type Clock, repeat } from './clock.ts';
import { LEASE_MS } from './fulfilment-lease.ts';
import { FIRST_RETRY_MS } from './fulfilment-worker.ts';
import type { HousekeepingStore, LongestPlans } from './housekeeping-store.ts';
import type { Log } from './log.ts';
import {
  GIVES_UP_AT_AGE_MS,
  LONGEST_PAUSE_MS,
  LONGEST_RETRY_AFTER_MS,
  STEADY_PAUSE_MS,
} from './reconciler.ts';

const EVERY_MS = 10 * 60_000;
const KEPT_MS = 24 * 60 * 60_000;

const LOOK_AT_CLOCK_EVERY_MS = 1_000;
const SET_BACK_FROM_MS = 5_000;
/** A database too busy for it is let alone: all is read again each time. */
const MOST_LOOKS_SKIPPED = 60;
const TELL_EVERY_MS = 60_000;

const LONGEST_PLANS: LongestPlans = {
  checkMs: LONGEST_PAUSE_MS,
  shortCheckMs: LONGEST_RETRY_AFTER_MS,
  givesUpMs: GIVES_UP_AT_AGE_MS,
  retryMs: FIRST_RETRY_MS,
  leaseMs: LEASE_MS,
};

/** Of the shop itself: a service that named a later time is asked once before it. */
const OWN_PLANS: LongestPlans = { ...LONGEST_PLANS, shortCheckMs: STEADY_PAUSE_MS };

/**
 * Pulls ahead what a clock that was set back has left for later: as the shop begins, as soon as the
 * clock is seen to go back, and ever again. Forgets the idempotency keys of a day ago, and closes
 * webhooks about payments that nobody made in a day: they are of another system of the merchant's.
 * Runs until the function it gives is called.
 */
export function startHousekeeping({
  store,
  clock,
  log,
}: {
  store: HousekeepingStore;
  clock: Clock;
  log: Log;
}): () => void {
  const ending = new AbortController();
  const { signal } = ending;
  const mayTell = buildThrottle(clock, TELL_EVERY_MS);
  const warn = (err: unknown, message: string) =>
    signal.aborted || !mayTell(message) || log.warn({ err }, message);
  let seenAt = clock.now();
  /** The clock may have been set back while the shop was away. */
  let mustPullAhead = true;
  let failures = 0;
  let looksToSkip = 0;
  /**
   * What was under way as the clock went back may have planned by the old time after all was pulled
   * ahead.
   */
  let wasSetBack = false;

  void lookAtClock();
  const stops = [
    repeat(clock, LOOK_AT_CLOCK_EVERY_MS, lookAtClock),
    repeat(clock, EVERY_MS, async () => {
      const now = clock.now();
      try {
        await store.pullAhead(now, wasSetBack ? OWN_PLANS : LONGEST_PLANS, signal);
        wasSetBack = false;
        await store.forgetKeys(now - KEPT_MS, signal);
        await store.closeStrayDeliveries(now - KEPT_MS, now, signal);
      } catch (err) {
        warn(err, 'what is no longer needed could not be removed');
      }
    }),
  ];
  return () => {
    for (const stop of stops) stop();
    ending.abort();
  };

  async function lookAtClock(): Promise<void> {
    const now = clock.now();
    if (now < seenAt - SET_BACK_FROM_MS) {
      log.warn(
        { byMs: seenAt - now },
        'clock was set back: what it left for later is pulled ahead',
      );
      mustPullAhead = true;
      wasSetBack = true;
    }
    seenAt = now;
    if (looksToSkip > 0) looksToSkip -= 1;
    else if (mustPullAhead) await pullAhead(now);
  }

  async function pullAhead(now: number): Promise<void> {
    mustPullAhead = false;
    try {
      await store.pullAhead(now, OWN_PLANS, signal);
      failures = 0;
    } catch (err) {
      mustPullAhead = true;
      looksToSkip = Math.min(2 ** failures++ - 1, MOST_LOOKS_SKIPPED);
      warn(err, 'what a clock that was ahead has planned could not be pulled ahead');
    }
  }
}
