import { type Clock, hasPassed } from './clock.ts';

/** Calls are judged by the last so many, none older than so long. */
const JUDGED_CALLS = 20;
const JUDGED_FOR_MS = 10_000;

/**
 * It opens where at least so many of these failed, and they are so large a share. A lonely failure,
 * or one in two, never opens it.
 */
const FAILURES_THAT_OPEN = 5;
const SHARE_THAT_OPENS = 0.8;

/** How long nothing is asked before one call finds out whether the service is back. */
export const OPEN_FOR_MS = 2_000;

/**
 * How long the others wait for what that one finds: as long as a service that is well takes, and no
 * customer minds.
 */
const WAITS_AT_MOST_MS = 1_000;

/** `closed`: calls are made. `open`: none is. `half-open`: one at a time is, to find out. */
export type CircuitState = 'closed' | 'open' | 'half-open';

/**
 * Knows whether a call to the service is worth making. While the service is down nobody waits for a
 * deadline, and a service that comes back is found by one call every two seconds instead of by
 * everybody at once.
 */
export class Circuit {
  readonly #clock: Clock;
  #recent: { at: number; wasAnswered: boolean }[] = [];
  #openedAt: number | undefined;
  #probe: PromiseWithResolvers<void> | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get state(): CircuitState {
    if (this.#openedAt === undefined) return 'closed';
    return this.#probe || hasPassed(this.#clock, this.#openedAt, OPEN_FOR_MS)
      ? 'half-open'
      : 'open';
  }

  /**
   * Says whether a call may be made: as any other, as the one that finds out, or not at all. Who
   * comes while one finds out waits a second for what it finds. Each `call` and `probe` must be
   * followed by one `note`.
   */
  async admit(): Promise<'call' | 'probe' | 'refused'> {
    while (this.#probe) if (!(await this.#isFoundOutBy(this.#probe))) return 'refused';
    if (this.state === 'open') return 'refused';
    if (this.state === 'closed') return 'call';
    this.#probe = Promise.withResolvers();
    return 'probe';
  }

  /**
   * Takes down how an admitted call ended. Once open, only the call that finds out counts: others
   * were made before.
   */
  note(admitted: 'call' | 'probe', wasAnswered: boolean): void {
    if (admitted === 'call') {
      if (this.#openedAt === undefined) this.#judge(wasAnswered);
      return;
    }
    if (wasAnswered) this.#openedAt = undefined;
    else this.#open();
    this.#probe?.resolve();
    this.#probe = undefined;
  }

  #isFoundOutBy(probe: PromiseWithResolvers<void>): Promise<boolean> {
    return new Promise((resolve) => {
      const cancel = this.#clock.after(WAITS_AT_MOST_MS, () => resolve(false));
      void probe.promise.then(() => {
        cancel();
        resolve(true);
      });
    });
  }

  #judge(wasAnswered: boolean): void {
    this.#recent.push({ at: this.#clock.now(), wasAnswered });
    this.#recent = this.#recent
      .filter(({ at }) => !hasPassed(this.#clock, at, JUDGED_FOR_MS))
      .slice(-JUDGED_CALLS);
    const failures = this.#recent.filter((call) => !call.wasAnswered).length;
    if (failures >= FAILURES_THAT_OPEN && failures >= this.#recent.length * SHARE_THAT_OPENS)
      this.#open();
  }

  #open(): void {
    this.#openedAt = this.#clock.now();
    this.#recent = [];
  }
}
