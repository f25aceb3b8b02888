import { Clock, type Run } from '@service-pay/sandbox/internal/time/clock';

const STARTED_AT = Date.UTC(2026, 10, 20, 10);

const settled = () => new Promise<void>((resolve) => void setImmediate(resolve));

/**
 * The time and the luck of one history. Timers run in order, and what follows from them at once.
 * Chance is a tape of numbers below 1 000, so that a history that breaks a law can be told again;
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

/**
 * The clock of the service in a world: it runs with the world's time, and can be moved on by
 * itself.
 */
export class ServiceClock extends Clock {
  readonly #world: World;
  readonly #handlers = new Map<string, Run>();
  #due: { at: number; order: number; kind: string; subject: string }[] = [];
  #planned = 0;
  #aheadMs = 0;

  constructor(world: World) {
    super();
    this.#world = world;
  }

  override now(): number {
    return STARTED_AT + this.#world.now + this.#aheadMs;
  }

  override handle(kind: string, run: Run): void {
    this.#handlers.set(kind, run);
  }

  override plan(at: number, kind: string, subject: string): number {
    const order = this.#planned++;
    this.#due.push({ at, order, kind, subject });
    this.#due.sort((one, other) => one.at - other.at);
    this.#world.after(Math.max(0, at - this.now()), () => this.#runUntil(this.now()));
    return order;
  }

  override callOff(order: number | null): void {
    this.#due = this.#due.filter((due) => due.order !== order);
  }

  skip(ms: number): void {
    this.#runUntil(this.now() + ms);
  }

  #runUntil(end: number): void {
    for (let next = this.#due[0]; next && next.at <= end; next = this.#due[0]) {
      this.#due.shift();
      this.#aheadMs += Math.max(0, next.at - this.now());
      void this.#handlers.get(next.kind)?.(next.subject, next.order);
    }
    this.#aheadMs += Math.max(0, end - this.now());
  }
}
