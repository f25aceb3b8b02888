import type { PaymentState } from '../database/schema.ts';
import type { Log } from '../observe/log.ts';
import type { ShopStore } from '../payments/store.ts';
import { type Clock, repeat } from '../support/clock.ts';

const READ_EVERY_MS = 1_000;

/** Stands for every payment: no reference has this character. */
const ALL = '*';

/** Tells those who watch a payment, in this process, that it moved: they read it again. */
export class PaymentFeed {
  readonly #watchers = new Map<string, Set<() => void>>();

  get watched(): string[] {
    return [...this.#watchers.keys()].filter((reference) => reference !== ALL);
  }

  tell(reference: string): void {
    for (const watched of [reference, ALL])
      for (const listener of [...(this.#watchers.get(watched) ?? [])]) listener();
  }

  watch(reference: string, listener: () => void): () => void {
    const listeners = this.#watchers.get(reference) ?? new Set();
    this.#watchers.set(reference, listeners.add(listener));
    return () => {
      if (listeners.delete(listener) && listeners.size === 0) this.#watchers.delete(reference);
    };
  }

  watchAll(listener: () => void): () => void {
    return this.watch(ALL, listener);
  }
}

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
      const moved = found.filter(({ reference, state }) => before.get(reference) !== state);
      before = new Map(found.map(({ reference, state }) => [reference, state]));
      for (const { reference } of moved) feed.tell(reference);
    } catch (err) {
      log.warn({ err }, 'watched payments could not be read');
    }
  });
}
