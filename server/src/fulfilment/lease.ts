import type { Log } from '../observe/log.ts';
import { type Clock, pause, repeat } from '../support/clock.ts';
import type { ClaimedFulfilment, FulfilmentStore } from './store.ts';

/** A worker that dies loses what it holds after this; a live one renews well before. */
export const LEASE_MS = 2_000;
const RENEW_EVERY_MS = 500;

/** The pause between two tries to record how a call ended. */
const WRITE_AGAIN_MS = 1_000;

export interface LeaseDeps {
  fulfilments: FulfilmentStore;
  owner: string;
  clock: Clock;
  log: Log;
  mayLog: (key: string) => boolean;
  /** Aborts when the shop stops waiting for calls. */
  stopping: AbortSignal;
}

/** One order in the hands of a worker. Every write is refused once another worker has taken over. */
export class Lease {
  readonly orderId: string;
  readonly reference: string;
  readonly attempts: number;
  readonly #claimed: ClaimedFulfilment;
  readonly #deps: LeaseDeps;

  constructor(claimed: ClaimedFulfilment, deps: LeaseDeps) {
    this.orderId = claimed.orderId;
    this.reference = claimed.reference;
    this.attempts = claimed.attempts;
    this.#claimed = claimed;
    this.#deps = deps;
  }

  /** Renews until the returned function is called, and calls `onLost` if another took over. */
  keep(onLost: () => void): () => void {
    const { fulfilments, owner, clock, log, mayLog } = this.#deps;
    return repeat(clock, RENEW_EVERY_MS, async () => {
      const isHeld = await fulfilments
        .renew(this.#claimed, owner, clock.now(), LEASE_MS)
        .catch((err: unknown) => {
          if (mayLog('renewal')) log.warn({ err, reference: this.reference }, 'lease not renewed');
          return true;
        });
      if (!isHeld) onLost();
    });
  }

  /** Records that the order was fulfilled. Resolves with false if another had taken over. */
  finish(): Promise<boolean> {
    const { fulfilments, owner, clock } = this.#deps;
    const now = clock.now();
    return this.#writeUntilAnswered('done', (again) =>
      fulfilments.finish(this.#claimed, owner, now, again),
    );
  }

  /** Gives the order back after a failed call, to be tried again at `dueAt`. */
  postpone(dueAt: number, lastError: string): Promise<boolean> {
    const { fulfilments, owner } = this.#deps;
    return this.#writeUntilAnswered('failed', (again) =>
      fulfilments.postpone(this.#claimed, owner, dueAt, lastError, again),
    );
  }

  /** Gives the order back as `postpone` does, in a single try: the shop stops. */
  async giveBack(dueAt: number): Promise<void> {
    await this.#deps.fulfilments.postpone(this.#claimed, this.#deps.owner, dueAt);
  }

  /** Leaves the order to a person. Resolves with false if another had taken over. */
  park(lastError: string | undefined): Promise<boolean> {
    const { fulfilments, owner } = this.#deps;
    return this.#writeUntilAnswered('parked', (again) =>
      fulfilments.park(this.#claimed, owner, lastError, again),
    );
  }

  /**
   * Tries until the database answers or the shop has stopped. The order is held meanwhile, so that
   * this worker does not call again.
   */
  async #writeUntilAnswered(
    result: 'done' | 'failed' | 'parked',
    write: (again: boolean) => Promise<boolean>,
  ): Promise<boolean> {
    const { clock, log, stopping } = this.#deps;
    for (let tries = 1; ; tries++) {
      try {
        return await write(tries > 1);
      } catch (err) {
        if (stopping.aborted) throw err;
        if (tries === 1)
          log.warn(
            { err, reference: this.reference, result },
            'result of fulfil not yet written down: tried until it is',
          );
        await pause(clock, WRITE_AGAIN_MS);
      }
    }
  }
}
