import type { Clock } from './clock.ts';

const SHOWN_S = { first: 5, stirred: 10 } as const;

/**
 * Counts down while success is shown. Pointer movement, touch or a key restarts it at ten seconds,
 * once (D2).
 */
export class SuccessCount {
  secondsLeft: number = SHOWN_S.first;
  readonly #clock: Clock;
  readonly #onTick: () => void;
  readonly #onEnd: () => void;
  readonly #life = new AbortController();
  #cancel = () => {};

  /** `onTick` is called after each change of `secondsLeft` until `onEnd` is called at zero. */
  constructor(clock: Clock, onTick: () => void, onEnd: () => void) {
    this.#clock = clock;
    this.#onTick = onTick;
    this.#onEnd = onEnd;
    this.#count();
    for (const type of ['pointermove', 'pointerdown', 'keydown'])
      window.addEventListener(type, (event) => this.#stir(event), { signal: this.#life.signal });
  }

  stop(): void {
    this.#cancel();
    this.#life.abort();
  }

  /** Ignores a resting pointer, which "moves" when the content below it does. */
  #stir({
    type,
    movementX,
    movementY,
    repeat,
  }: Event & Partial<PointerEvent & KeyboardEvent>): void {
    if (repeat || (type === 'pointermove' && !movementX && !movementY)) return;
    this.#life.abort();
    this.secondsLeft = SHOWN_S.stirred;
    this.#count();
    this.#onTick();
  }

  #count(): void {
    this.#cancel();
    this.#cancel = this.#clock.after(1_000, () => {
      this.secondsLeft -= 1;
      if (this.secondsLeft) {
        this.#count();
        this.#onTick();
      } else {
        this.stop();
        this.#onEnd();
      }
    });
  }
}
