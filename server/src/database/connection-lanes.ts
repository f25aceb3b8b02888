import { realClock } from '../support/clock.ts';

/** Who uses a connection, in the order in which a free one is given to those who wait. */
export type Lane = 'leases' | 'results' | 'other';

export const NO_CONNECTION =
  'No connection was free in time. If the database responds otherwise, raise maxConnections.';

interface Turns {
  readonly most: number;
  taken: number;
  readonly waiting: Set<() => void>;
}

/**
 * Shares the connections of a pool between leases of `fulfil`, its results, and everything else.
 * However many webhooks and confirms arrive, a lease is renewed in time: one connection is kept from
 * them, and with a single connection they go last.
 */
export class ConnectionLanes {
  readonly #lanes: Record<Lane, Turns>;
  #free: number;

  constructor(connections: number) {
    const lane = (most: number): Turns => ({ most, taken: 0, waiting: new Set() });
    this.#free = connections;
    this.#lanes = {
      leases: lane(connections),
      results: lane(Math.ceil(connections / 2)), // so that thousands of paid orders stop no webhook
      other: lane(Math.max(1, connections - 1)),
    };
  }

  /** Waits until a connection may be used, and returns a function that ends the use. */
  async enter(name: Lane, withinMs: number): Promise<() => void> {
    const lane = this.#lanes[name];
    const turn = Promise.withResolvers<void>();
    lane.waiting.add(turn.resolve);
    const cancel = realClock.after(withinMs, () => {
      lane.waiting.delete(turn.resolve);
      turn.reject(new Error(NO_CONNECTION));
    });
    this.#admit();
    await turn.promise.finally(cancel);
    return () => {
      lane.taken -= 1;
      this.#free += 1;
      this.#admit();
    };
  }

  #admit(): void {
    for (const lane of Object.values(this.#lanes))
      for (const begin of lane.waiting) {
        if (this.#free === 0 || lane.taken === lane.most) break;
        lane.waiting.delete(begin);
        lane.taken += 1;
        this.#free -= 1;
        begin();
      }
  }
}
