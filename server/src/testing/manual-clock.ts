import type { Clock } from '../support/clock.ts';

/** A clock that moves only when a test advances it, and then runs what is due, in order. */
export class ManualClock implements Clock {
  #now: number;
  #tasks: { at: number; task: () => void }[] = [];

  constructor(now = Date.UTC(2026, 0, 1)) {
    this.#now = now;
  }

  now(): number {
    return this.#now;
  }

  after(ms: number, task: () => void): () => void {
    const entry = { at: this.#now + ms, task };
    this.#tasks.push(entry);
    return () => {
      this.#tasks = this.#tasks.filter((other) => other !== entry);
    };
  }

  async advance(ms: number): Promise<void> {
    await new Promise(setImmediate);
    const until = this.#now + ms;
    for (;;) {
      const [next] = this.#tasks
        .filter(({ at }) => at <= until)
        .sort((one, other) => one.at - other.at);
      if (!next) break;
      this.#tasks = this.#tasks.filter((other) => other !== next);
      this.#now = Math.max(this.#now, next.at);
      next.task();
      await new Promise(setImmediate);
    }
    this.#now = until;
  }

  /** Moves time as if the machine had slept: tasks that became due run once, and late. */
  async jump(ms: number): Promise<void> {
    this.#now += ms;
    await this.advance(0);
  }
}
