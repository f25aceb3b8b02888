import type { PaymentState } from '../database/schema.ts';
import type { Log } from '../observe/log.ts';
import type { ShopStore } from '../payments/store.ts';
import { type Clock, repeat } from '../support/clock.ts';
import type { PaymentFeed } from './bus.ts';

const READ_EVERY_MS = 1_000;

/**
 * Reports to a feed what other processes on the same database moved: reads the states of what is
 * watched every second (T111), until the returned function is called.
 */
export function pollWatched(
  feed: PaymentFeed,
  store: Pick<ShopStore, 'findStates'>,
  clock: Clock,
  log: Log,
): () => void {
  let before = new Map<string, PaymentState>();
  return repeat(clock, READ_EVERY_MS, async () => {
    try {
      const found = await store.findStates(feed.watched);
      const states = new Map(found.map(({ reference, state }) => [reference, state]));
      const moved = found.filter(({ reference, state }) => before.get(reference) !== state);
      before = states;
      for (const { reference } of moved) feed.tell(reference);
    } catch (err) {
      log.warn({ err }, 'watched payments could not be read');
    }
  });
}
