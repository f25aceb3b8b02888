import { type Clock, repeat } from './clock.ts';
import type { Log } from './log.ts';
import type { ShopStore } from './shop-store.ts';

const EVERY_MS = 10 * 60_000;
const KEPT_MS = 24 * 60 * 60_000;

/**
 * Forgets the idempotency keys of a day ago, and closes webhooks about payments that nobody made in a day: they are of another
 * system of the merchant's. Runs until the function it gives is called.
 */
export function startHousekeeping({ store, clock, log }: { store: ShopStore; clock: Clock; log: Log }): () => void {
  return repeat(clock, EVERY_MS, async () => {
    const now = clock.now();
    try {
      await store.forgetKeys(now - KEPT_MS);
      await store.closeStrayDeliveries(now - KEPT_MS, now);
    } catch (err) {
      log.warn({ err }, 'what is no longer needed could not be removed');
    }
  });
}
