// Refreshes at the pace of the responses, however many events arrive.

const PAUSE_MS = 100;

/** Runs one piece of work at a time. Requests made meanwhile cause one more run. */
export class Refresher {
  #work: (signal: AbortSignal) => Promise<void>;
  #running: AbortController | undefined;
  #isRequestedAgain = false;

  constructor(work: (signal: AbortSignal) => Promise<void>) {
    this.#work = work;
  }

  request() {
    if (this.#running) {
      this.#isRequestedAgain = true;
      return;
    }
    this.#running = new AbortController();
    requestAnimationFrame(() => void this.#run());
  }

  /** Aborts the current run and starts a new one. */
  restart() {
    this.#running?.abort();
    this.request();
  }

  async #run() {
    const running = this.#running as AbortController;
    try {
      if (running.signal.aborted) return;
      this.#isRequestedAgain = false;
      await this.#work(running.signal);
    } finally {
      setTimeout(
        () => {
          this.#running = undefined;
          if (this.#isRequestedAgain) this.request();
        },
        running.signal.aborted ? 0 : PAUSE_MS,
      );
    }
  }
}
