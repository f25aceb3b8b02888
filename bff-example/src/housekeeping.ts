import { type Clock, repeat } from './clock.ts';
import { FIRST_RETRY_MS, LEASE_MS } from './fulfilment-worker.ts';
import type { HousekeepingStore } from './housekeeping-store.ts';
import type { Log } from './log.ts';
import { GIVES_UP_AT_AGE_MS, LONGEST_PAUSE_MS, LONGEST_RETRY_AFTER_MS } from './reconciler.ts';

const EVERY_MS = 10 * 60_000;
const KEPT_MS = 24 * 60 * 60_000;

const LONGEST_PLANS = {
  checkMs: LONGEST_PAUSE_MS,
  shortCheckMs: LONGEST_RETRY_AFTER_MS,
  givesUpMs: GIVES_UP_AT_AGE_MS,
  retryMs: FIRST_RETRY_MS,
  leaseMs: LEASE_MS,
};

/**
 * Pulls ahead what a clock that was set back has left for later, at once and ever again. Forgets the idempotency keys of a day
 * ago, and closes webhooks about payments that nobody made in a day: they are of another system of the merchant's. Runs until the
 * function it gives is called.
 */
export function startHousekeeping({ store, clock, log }: { store: HousekeepingStore; clock: Clock; log: Log }): () => void {
  const ending = new AbortController();
  const { signal } = ending;
  const pullAhead = () => store.pullAhead(clock.now(), LONGEST_PLANS, signal);
  const warn = (err: unknown, message: string) => signal.aborted || log.warn({ err }, message);
  void pullAhead().catch((err: unknown) => warn(err, 'what a clock that was ahead has planned could not be pulled ahead'));

  const stop = repeat(clock, EVERY_MS, async () => {
    const now = clock.now();
    try {
      await pullAhead();
      await store.forgetKeys(now - KEPT_MS, signal);
      await store.closeStrayDeliveries(now - KEPT_MS, now, signal);
    } catch (err) {
      warn(err, 'what is no longer needed could not be removed');
    }
  });
  return () => {
    stop();
    ending.abort();
  };
}
