// Asking again, as often as there is news and no oftener than answers arrive.

/** Between two looks, however much happens: ten a second look live. */
const PAUSE_MS = 100;

/**
 * Runs one piece of work at a time, in a frame of its own. However often it is asked for meanwhile,
 * it runs once more, with the newest state.
 */
export class Refresher {
  /** @type {(signal: AbortSignal) => Promise<void>} */
  #work;
  /** @type {AbortController | undefined} */
  #running;
  #isAskedAgain = false;

  /** @param {(signal: AbortSignal) => Promise<void>} work */
  constructor(work) {
    this.#work = work;
  }

  ask() {
    if (this.#running) {
      this.#isAskedAgain = true;
      return;
    }
    this.#running = new AbortController();
    requestAnimationFrame(() => void this.#run());
  }

  /**
   * What runs is for something that is not wanted any more: it is cut off, and the work begins
   * anew.
   */
  askAnew() {
    this.#running?.abort();
    this.ask();
  }

  async #run() {
    const running = /** @type {AbortController} */ (this.#running);
    try {
      if (running.signal.aborted) return;
      this.#isAskedAgain = false;
      await this.#work(running.signal);
    } finally {
      setTimeout(
        () => {
          this.#running = undefined;
          if (this.#isAskedAgain) this.ask();
        },
        running.signal.aborted ? 0 : PAUSE_MS,
      );
    }
  }
}
