import type { Clock } from './clock.ts';

const SHOWN_S = { first: 3, stirred: 10 } as const;

/**
 * Counts down while success is shown. Pointer movement, touch or a key restarts it at ten seconds,
 * once (D2).
 */
export class SuccessCount {
  secondsLeft: number = SHOWN_S.first;
  readonly #clock: Clock;
  readonly #onTick: () => void;
  readonly #onEnd: () => void;
  #hasStirred = false;
  #cancel = () => {};

  /** `onTick` is called after each change of `secondsLeft`, `onEnd` at zero. */
  constructor(clock: Clock, onTick: () => void, onEnd: () => void) {
    this.#clock = clock;
    this.#onTick = onTick;
    this.#onEnd = onEnd;
    this.#count();
  }

  stir(): void {
    if (this.#hasStirred || !this.secondsLeft) return;
    this.#hasStirred = true;
    this.secondsLeft = SHOWN_S.stirred;
    this.#count();
    this.#onTick();
  }

  stop(): void {
    this.#cancel();
  }

  #count(): void {
    this.#cancel();
    this.#cancel = this.#clock.after(1_000, () => {
      this.secondsLeft -= 1;
      if (this.secondsLeft) this.#count();
      this.#onTick();
      if (!this.secondsLeft) this.#onEnd();
    });
  }
}
