/** Lets so many pieces of work go on at once; others wait for their turn, in order. */
export class Turnstile {
  readonly #places: number;
  #free: number;
  readonly #waiting: (() => void)[] = [];
  #latest: Promise<unknown> = Promise.resolve();

  constructor(places: number) {
    this.#places = places;
    this.#free = places;
  }

  /** True while nothing goes on and nobody waits. */
  get isIdle(): boolean {
    return this.#free === this.#places;
  }

  /** Does `work` once there is a place. */
  async pass<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#free) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free++;
    }
  }

  /** The same, and gives no result before those of the work given to it earlier. */
  passInOrder<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.pass(work);
    const inOrder = this.#latest.then(() => result);
    this.#latest = inOrder.catch(() => undefined);
    return inOrder;
  }
}
