import type { Clock } from './clock.ts';
import type { ClaimedFulfilment, FulfilmentStore } from './fulfilment-store.ts';

export interface FulfilmentClaimsDeps {
  fulfilments: FulfilmentStore;
  owner: string;
  leaseMs: number;
  clock: Clock;
  /** Whether the worker has this order in hand. */
  isInHand: (orderId: string) => boolean;
}

/**
 * Claims fulfilments for one worker, and gives it also what a claim took whose answer came late or
 * never: the order would else wait for nobody until the lease ends, again and again while the
 * database is slow.
 */
export class FulfilmentClaims {
  readonly #deps: FulfilmentClaimsDeps;
  /** For each claim under way, the orders that ended since it began. */
  readonly #endedSince = new Set<Set<string>>();
  #mayHoldMoreUntil = Number.NEGATIVE_INFINITY;

  constructor(deps: FulfilmentClaimsDeps) {
    this.#deps = deps;
  }

  /** What has been due the longest, up to `limit` orders. */
  claim(limit: number): Promise<ClaimedFulfilment[]> {
    const { fulfilments, owner, leaseMs, clock } = this.#deps;
    return this.#withoutEnded(() =>
      this.#findOrClaim(
        async () =>
          (await this.#findLost()).filter(({ dueAt }) => dueAt <= clock.now()).slice(0, limit),
        () => fulfilments.claim(owner, clock.now(), leaseMs, limit),
      ),
    );
  }

  /** One order that is to be tried alone. */
  async claimSuspect(): Promise<ClaimedFulfilment | undefined> {
    const { fulfilments, owner, leaseMs, clock } = this.#deps;
    const [suspect] = await this.#withoutEnded(() =>
      this.#findOrClaim(
        async () => (await this.#findLost()).filter(({ dueAt }) => dueAt > clock.now()).slice(0, 1),
        async () => {
          const claimed = await fulfilments.claimSuspect(owner, clock.now(), leaseMs);
          return claimed ? [claimed] : [];
        },
      ),
    );
    return suspect;
  }

  /** To be called when the worker has nothing more to do with an order. */
  noteEnd(orderId: string): void {
    for (const ended of this.#endedSince) ended.add(orderId);
  }

  /**
   * The answer can be so late that an order which was taken over once more has been handed over
   * meanwhile, and written down.
   */
  async #withoutEnded(claim: () => Promise<ClaimedFulfilment[]>): Promise<ClaimedFulfilment[]> {
    const ended = new Set<string>();
    this.#endedSince.add(ended);
    try {
      return (await claim()).filter(({ orderId }) => !ended.has(orderId));
    } finally {
      this.#endedSince.delete(ended);
    }
  }

  async #findOrClaim(
    find: () => Promise<ClaimedFulfilment[]>,
    claim: () => Promise<ClaimedFulfilment[]>,
  ): Promise<ClaimedFulfilment[]> {
    const lost = await find();
    if (lost.length) return lost;
    try {
      return await claim();
    } catch (error) {
      this.#mayHoldMoreUntil = this.#deps.clock.now() + this.#deps.leaseMs;
      const found = await find();
      if (!found.length) throw error;
      return found;
    }
  }

  /** Of a lease so much must be left that it can be renewed in time. */
  async #findLost(): Promise<(ClaimedFulfilment & { dueAt: number })[]> {
    const { fulfilments, owner, leaseMs, clock, isInHand } = this.#deps;
    if (clock.now() > this.#mayHoldMoreUntil) return [];
    const held = await fulfilments.findHeld(owner, clock.now(), leaseMs / 2);
    return held.filter(({ orderId }) => !isInHand(orderId));
  }
}
