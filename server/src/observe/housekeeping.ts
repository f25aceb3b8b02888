import { buildThrottle, type Clock, repeat } from '../support/clock.ts';
import type { HousekeepingStore } from './housekeeping-store.ts';
import type { Log } from './log.ts';

const EVERY_MS = 10 * 60_000;
const KEPT_MS = 24 * 60 * 60_000;
const WARN_EVERY_MS = 60_000;

/**
 * Forgets the idempotency keys of a day ago, and closes webhooks about payments that nobody made in
 * a day: they are of another system of the merchant's. Runs until the returned function is called.
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
  const mayWarn = buildThrottle(clock, WARN_EVERY_MS);
  const stop = repeat(clock, EVERY_MS, async () => {
    const now = clock.now();
    try {
      await store.forgetKeys(now - KEPT_MS, signal);
      await store.closeStrayDeliveries(now - KEPT_MS, now, signal);
    } catch (err) {
      if (!signal.aborted && mayWarn('failed'))
        log.warn({ err }, 'what is no longer needed could not be removed');
    }
  });
  return () => {
    stop();
    ending.abort();
  };
}
