import * as v from 'valibot';

import { insertSorted } from './insert-sorted.ts';

export type ClockMode = 'real' | 'virtual';

export type Run = (subject: string, order: number) => void | Promise<void>;

const wholeNumber = v.pipe(v.number(), v.safeInteger());
const planSchema = v.strictObject({
  at: wholeNumber,
  order: wholeNumber,
  kind: v.string(),
  subject: v.string(),
});
/**
 * Something planned, as data that survives a restart: `order` is its number, `kind` its handler.
 */
type Plan = Readonly<v.InferOutput<typeof planSchema>>;

const snapshotSchema = v.strictObject({
  mode: v.picklist(['real', 'virtual']),
  now: wholeNumber,
  aheadMs: v.pipe(v.number(), v.finite(), v.minValue(0)),
  created: wholeNumber,
  plans: v.array(planSchema),
});
export type ClockSnapshot = v.InferOutput<typeof snapshotSchema>;

/** Timers hold at most 2³¹ ms; a clock checks again after this long. */
const LONGEST_TIMER_MS = 60 * 60_000;

/** An advance starts at most this much asynchronous work before it waits, to bound memory. */
const MOST_UNDER_WAY = 256;

/**
 * The clock of a sandbox. Plans run by due time, then in order of creation, whether time passes or
 * is advanced. Only `reset` moves time back, and nothing planned before a reset runs after it.
 */
export class Clock {
  readonly #startMode: ClockMode;
  #mode: ClockMode = 'real';
  #aheadMs = 0;
  #stoppedAt: number | undefined;
  #latest = 0;
  readonly #handlers = new Map<string, Run>();
  #plans: Plan[] = [];
  /** Plans with unfinished work, which a restart repeats. */
  readonly #underWay = new Set<Plan>();
  #created = 0;
  #resets = 0;
  #isAdvancing = false;
  #lastMove: Promise<unknown> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;

  constructor(startMode: ClockMode = 'real') {
    this.#startMode = startMode;
    this.reset();
  }

  now(): number {
    this.#latest = Math.max(this.#latest, this.#stoppedAt ?? Date.now() + this.#aheadMs);
    return this.#latest;
  }

  timestamp(at: number = this.now()): string {
    return new Date(at).toISOString();
  }

  get mode(): ClockMode {
    return this.#mode;
  }

  get isAdvancing(): boolean {
    return this.#isAdvancing;
  }

  handle(kind: string, run: Run): void {
    this.#handlers.set(kind, run);
  }

  /**
   * Plans a call of `kind`'s handler with `subject` for the time `at`, or soon if that is past.
   * Returns the plan's number.
   */
  plan(at: number, kind: string, subject: string): number {
    const order = this.#created++;
    insertSorted(this.#plans, { at, order, kind, subject }, inOrder);
    if (this.#plans[0]?.order === order) this.#arm();
    return order;
  }

  /** Cancels a plan; does nothing for null or a plan that has run. */
  callOff(order: number | null): void {
    const at = this.#plans.findLastIndex((plan) => plan.order === order);
    if (at >= 0) this.#plans.splice(at, 1);
  }

  nextDueAt(): number | null {
    return this.#plans[0]?.at ?? null;
  }

  get resets(): number {
    return this.#resets;
  }

  /**
   * Advances time by `ms`; resolves once everything due has run. Waits for an earlier advance; a
   * reset cancels both.
   */
  advance(ms: number): Promise<void> {
    return this.#enqueue(() => this.#runUntil(this.now() + ms));
  }

  /**
   * Stops time at `at`, or now, after running everything due by then. Returns false if `at` is
   * past.
   */
  async makeVirtual(at?: number): Promise<boolean> {
    let isPast = false;
    await this.#enqueue(async () => {
      isPast = at !== undefined && at < this.now();
      if (isPast) return;
      this.#mode = 'virtual';
      await this.#runUntil(at ?? this.now());
    });
    return !isPast;
  }

  /** Lets time pass by itself again, from the real time or from this clock's if that is later. */
  makeReal(): Promise<void> {
    return this.#enqueue(async () => {
      this.#mode = 'real';
      await this.#runUntil(Math.max(this.now(), Date.now()));
    });
  }

  /** Drops all plans and returns to real time. An advance under way ends without running more. */
  reset(): void {
    this.#resets++;
    this.#mode = this.#startMode;
    this.#aheadMs = 0;
    this.#stoppedAt = this.#mode === 'virtual' ? Date.now() : undefined;
    this.#latest = 0;
    this.#plans = [];
    this.#underWay.clear();
    clearTimeout(this.#timer);
  }

  snapshot(): ClockSnapshot {
    const now = this.now();
    // During an advance, a real clock is stopped.
    const aheadMs =
      this.#mode === 'real' && this.#stoppedAt !== undefined
        ? Math.max(0, now - Date.now())
        : this.#aheadMs;
    return {
      mode: this.#mode,
      now,
      aheadMs,
      created: this.#created,
      plans: [...this.#underWay, ...this.#plans],
    };
  }

  /**
   * Restores a snapshot: a virtual clock keeps its time, a real one has moved on. Nothing runs
   * before `start`. Throws on invalid data.
   */
  restore(data: unknown): void {
    const { mode, now, aheadMs, created, plans } = v.parse(snapshotSchema, data);
    const unknown = plans.find(({ kind }) => !this.#handlers.has(kind));
    if (unknown) throw new Error('The snapshot plans something unknown to this version.');
    this.reset();
    this.#mode = mode;
    this.#aheadMs = aheadMs;
    this.#stoppedAt = mode === 'virtual' ? now : undefined;
    this.#latest = now;
    this.#created = created;
    this.#plans = plans.toSorted(inOrder);
  }

  start(): void {
    this.#arm();
  }

  /** Runs `work` after earlier work, or not at all if a reset comes first. */
  #enqueue(work: () => Promise<void>): Promise<void> {
    const resets = this.#resets;
    const result = this.#lastMove.then(() => (resets === this.#resets ? work() : undefined));
    this.#lastMove = result.catch(() => undefined);
    return result;
  }

  async #runUntil(target: number): Promise<void> {
    const resets = this.#resets;
    this.#isAdvancing = true;
    this.#stoppedAt = this.now();
    let started: Promise<void>[] = [];
    try {
      for (;;) {
        const next = this.#plans[0];
        if (started.length === MOST_UNDER_WAY) {
          await started.shift();
        } else if (started.length && !(next && next.at <= this.#stoppedAt)) {
          await Promise.all(started);
          started = [];
        } else if (next && next.at <= target) {
          this.#stoppedAt = Math.max(this.#stoppedAt, next.at);
          const work = this.#runNext();
          if (work) started.push(work);
        } else {
          break;
        }
        if (resets !== this.#resets) return;
      }
      this.#stoppedAt = target;
      this.now();
    } finally {
      this.#isAdvancing = false;
      if (resets === this.#resets && this.#mode === 'real') {
        this.#aheadMs = Math.max(0, this.now() - Date.now());
        this.#stoppedAt = undefined;
      }
      this.#arm();
    }
  }

  #arm(): void {
    clearTimeout(this.#timer);
    const next = this.#plans[0];
    if (!next || this.#isAdvancing) return;
    const waitMs = next.at - this.now();
    if (waitMs > 0 && this.#mode === 'virtual') return;
    this.#timer = setTimeout(() => this.#runDue(), Math.min(Math.max(waitMs, 0), LONGEST_TIMER_MS));
    this.#timer.unref();
  }

  #runDue(): void {
    const now = this.now();
    while ((this.#plans[0]?.at ?? Infinity) <= now) void this.#runNext();
    this.#arm();
  }

  #runNext(): Promise<void> | undefined {
    const plan = this.#plans.shift()!;
    const work = this.#handlers.get(plan.kind)?.(plan.subject, plan.order);
    if (!work) return undefined;
    this.#underWay.add(plan);
    return work.finally(() => this.#underWay.delete(plan));
  }
}

function inOrder(one: Plan, other: Plan): number {
  return one.at - other.at || one.order - other.order;
}
