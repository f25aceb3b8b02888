const settled = () => new Promise<void>((resolve) => void setImmediate(resolve));

/**
 * The time and the luck of one history. Timers run in order, and what follows from them at once.
 * Chance is a tape of numbers below 1 000, so that a history that breaks a law can be played again;
 * beyond its end everything goes well.
 */
export class World {
  now = 0;
  readonly #due: { at: number; act: () => void }[] = [];
  readonly #tape: readonly number[];
  #read = 0;

  constructor(tape: readonly number[]) {
    this.#tape = tape;
  }

  chance(): number {
    return this.#tape[this.#read++] ?? 0;
  }

  heal(): void {
    this.#read = this.#tape.length;
  }

  /** Calls `act` after `ms`. Call the returned function to cancel. */
  after(ms: number, act: () => void): () => void {
    const due = { at: this.now + ms, act };
    let place = this.#due.length;
    while (place > 0 && this.#due[place - 1]!.at > due.at) place--;
    this.#due.splice(place, 0, due);
    return () => {
      const at = this.#due.indexOf(due);
      if (at >= 0) this.#due.splice(at, 1);
    };
  }

  /** Lets `ms` pass, or less once `isEnough`. */
  async pass(ms: number, isEnough = () => false): Promise<void> {
    const end = this.now + ms;
    await settled();
    while (!isEnough()) {
      const next = this.#due[0];
      if (!next || next.at > end) break;
      this.#due.shift();
      this.now = next.at;
      next.act();
      await settled();
    }
    if (!isEnough()) this.now = end;
  }
}
