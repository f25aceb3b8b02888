import type { BackgroundConfirms } from './background-confirms.ts';
import { type Clock, repeat } from './clock.ts';
import type { Log } from './log.ts';
import type { ShopStore } from './shop-store.ts';

/** The pause before a payment is asked about for the first time, and the shortest there is. */
export const FIRST_PAUSE_MS = 5_000;

const DOUBLES_UP_TO_MS = 40_000;
const STEADY_PAUSE_MS = 60_000;
const STEADY_UNTIL_AGE_MS = 45 * 60_000;
const LONGEST_PAUSE_MS = 6 * 60 * 60_000;
const GIVES_UP_AT_AGE_MS = 30 * 24 * 60 * 60_000;
const SPREAD = 0.1;

const LOOK_EVERY_MS = 1_000;
const CLAIM_AT_ONCE = 50;

/**
 * The pause before a payment is asked about again: 5, 10, 20, 40 s, then 60 s until it is 45 minutes old, then twice the last
 * up to 6 h. Pure.
 */
export function nextPauseMs(ageMs: number, lastPauseMs: number): number {
  if (ageMs >= STEADY_UNTIL_AGE_MS) return Math.min(Math.max(lastPauseMs, STEADY_PAUSE_MS) * 2, LONGEST_PAUSE_MS);
  return lastPauseMs * 2 <= DOUBLES_UP_TO_MS ? lastPauseMs * 2 : STEADY_PAUSE_MS;
}

/** Asks about every payment that is due, whoever forgot to tell of it, until the function it gives is called. */
export function startReconciler({
  store,
  confirms,
  clock,
  log,
}: {
  store: ShopStore;
  confirms: BackgroundConfirms;
  clock: Clock;
  log: Log;
}): () => void {
  return repeat(clock, LOOK_EVERY_MS, async () => {
    try {
      const due = await store.claimDue(clock.now(), CLAIM_AT_ONCE, planNext, spread);
      for (const reference of due) confirms.add(reference, 'look');
    } catch (err) {
      log.error({ err }, 'reconciler could not read what is due');
    }
  });
}

function planNext(ageMs: number, lastPauseMs: number): number | undefined {
  return ageMs < GIVES_UP_AT_AGE_MS ? nextPauseMs(ageMs, lastPauseMs) : undefined;
}

/** Moves a time by up to a tenth, so that payments begun together are not asked about together. */
function spread(pauseMs: number): number {
  return Math.round(pauseMs * (1 + SPREAD * (2 * Math.random() - 1)));
}
