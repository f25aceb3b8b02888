import { Clock, type Run } from '../time/clock.ts';

const STARTED_AT = Date.UTC(2026, 10, 20, 10);

/** A test's own time: `now` in milliseconds from its start, and tasks due after some. */
export interface Time {
  readonly now: number;
  after(ms: number, act: () => void): unknown;
}

/** A service's clock in a test's own time, which can also be advanced. */
export class SteeredClock extends Clock {
  readonly #time: Time;
  readonly #handlers = new Map<string, Run>();
  #due: { at: number; order: number; kind: string; subject: string }[] = [];
  #planned = 0;
  #aheadMs = 0;

  constructor(time: Time) {
    super();
    this.#time = time;
  }

  override now(): number {
    return STARTED_AT + this.#time.now + this.#aheadMs;
  }

  override handle(kind: string, run: Run): void {
    this.#handlers.set(kind, run);
  }

  override plan(at: number, kind: string, subject: string): number {
    const order = this.#planned++;
    this.#due.push({ at, order, kind, subject });
    this.#due.sort((one, other) => one.at - other.at);
    this.#time.after(Math.max(0, at - this.now()), () => this.#runUntil(this.now()));
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
