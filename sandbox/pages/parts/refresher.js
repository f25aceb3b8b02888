// Refreshes at the pace of the answers, however many events arrive.

const PAUSE_MS = 100;

/** Runs one piece of work at a time. Requests made meanwhile cause one more run. */
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

  /** Aborts the current run and starts a new one. */
  restart() {
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
