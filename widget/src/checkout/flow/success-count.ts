import type { Clock } from './clock.ts';

const SHOWN_S = 5;

/**
 * Counts down while success is shown. The first touch, key press, selection or focus that the
 * customer moves stops it for good; pointer movement does not (D2).
 */
export class SuccessCount {
  /** 0 once it is stopped. */
  secondsLeft: number = SHOWN_S;
  readonly #clock: Clock;
  readonly #onTick: () => void;
  readonly #onEnd: () => void;
  readonly #life = new AbortController();
  #cancel = () => {};

  /**
   * `places`: the document and the shadow roots, which a focus that moves within does not leave.
   * `onTick` is called after each change of `secondsLeft`, unless `onEnd` is called at zero.
   */
  constructor(clock: Clock, places: readonly EventTarget[], onTick: () => void, onEnd: () => void) {
    this.#clock = clock;
    this.#onTick = onTick;
    this.#onEnd = onEnd;
    this.#count();
    for (const type of ['pointerdown', 'keydown', 'focusin', 'selectionchange'])
      for (const place of places)
        place.addEventListener(type, this.#keep, { signal: this.#life.signal });
  }

  stop(): void {
    this.#cancel();
    this.#life.abort();
  }

  readonly #keep = (event: Event & { repeat?: boolean }): void => {
    const [target] = event.composedPath();
    // A key held down since before, the heading that the screen itself focuses, a caret.
    if (
      event.repeat ||
      (target instanceof Element && event.type === 'focusin' && target.matches('h1'))
    )
      return;
    if (event.type === 'selectionchange' && getSelection()?.type !== 'Range') return;
    this.stop();
    this.secondsLeft = 0;
    this.#onTick();
  };

  #count(): void {
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
