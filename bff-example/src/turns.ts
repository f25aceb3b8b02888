/** So few that a turn stays short: a customer's request takes about ten. */
const MOST_PER_TURN = 2;

/**
 * Lets what strangers bring go on a few at each turn of the event loop, so that customers never wait for all of them (T91). Who
 * waits holds a connection, and there are only so many; where there is nothing else to do, turns are as short as the wait.
 */
export class Turns {
  #waiting: (() => void)[] = [];

  /** Resolves when it is this one's turn: in the order they came. */
  next(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    if (this.#waiting.push(resolve) === 1) setImmediate(() => this.#goOn());
    return promise;
  }

  #goOn(): void {
    for (const goOn of this.#waiting.splice(0, MOST_PER_TURN)) goOn();
    if (this.#waiting.length) setImmediate(() => this.#goOn());
  }
}
