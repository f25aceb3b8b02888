import type { Clock } from '@service-pay/server/internal/support/clock';

interface Task {
  at: number;
  run: () => void;
}

export interface ClockPlan {
  startAt: number;
  runs: boolean;
}

/**
 * A clock of the shop that a harness moves: it stands, or runs on from its new time. Timers run in
 * order.
 */
export class MovedClock implements Clock {
  readonly #real: Clock;
  readonly #runs: boolean;
  #aheadMs: number;
  #standsAt: number;
  #tasks: Task[] = [];

  constructor(real: Clock, { startAt, runs }: ClockPlan) {
    this.#real = real;
    this.#runs = runs;
    this.#standsAt = startAt;
    this.#aheadMs = startAt - real.now();
  }

  now(): number {
    return this.#runs ? this.#real.now() + this.#aheadMs : this.#standsAt;
  }

  after(ms: number, run: () => void): () => void {
    if (this.#runs) return this.#real.after(ms, run);
    const task = { at: this.#standsAt + ms, run };
    this.#tasks.push(task);
    return () => {
      this.#tasks = this.#tasks.filter((other) => other !== task);
    };
  }

  /** Advances a stopped clock and runs each due task on the way. A running clock jumps. */
  async advance(ms: number): Promise<void> {
    if (this.#runs) {
      this.#aheadMs += ms;
      return;
    }
    const until = this.#standsAt + ms;
    for (;;) {
      const [next] = this.#tasks
        .filter(({ at }) => at <= until)
        .sort((one, other) => one.at - other.at);
      if (!next) break;
      this.#tasks = this.#tasks.filter((other) => other !== next);
      this.#standsAt = Math.max(this.#standsAt, next.at);
      next.run();
      await new Promise(setImmediate);
    }
    this.#standsAt = until;
  }
}
