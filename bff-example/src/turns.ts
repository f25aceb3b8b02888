/** So few that a turn stays short: a customer's request takes about ten. */
const MOST_PER_TURN = 2;

/**
 * Beyond these nobody waits: one connection can bring a thousand requests at once, and each that
 * waits takes memory.
 */
const MOST_WAITING = 1_000;

/**
 * Lets what strangers bring go on a few at each turn of the event loop, so that customers never
 * wait for all of them (T91). Where there is nothing else to do, turns are as short as the wait.
 */
export class Turns {
  #waiting: (() => void)[] = [];

  /** Resolves when it is this one's turn, in the order they came; at once where too many wait. */
  async next(): Promise<void> {
    if (this.#waiting.length >= MOST_WAITING) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    if (this.#waiting.push(resolve) === 1) setImmediate(() => this.#goOn());
    await promise;
  }

  #goOn(): void {
    for (const goOn of this.#waiting.splice(0, MOST_PER_TURN)) goOn();
    if (this.#waiting.length) setImmediate(() => this.#goOn());
  }
}
