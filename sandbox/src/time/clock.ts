import * as v from 'valibot';

import { insertSorted } from './insert-sorted.ts';

/** How a clock moves: with the real one, or only when told to. */
export type ClockMode = 'real' | 'virtual';

/**
 * What happens when a plan is due: it may return a promise, which an advance waits for before time
 * moves on.
 */
export type Run = (subject: string, order: number) => void | Promise<void>;

const wholeNumber = v.pipe(v.number(), v.safeInteger());
const planSchema = v.strictObject({
  at: wholeNumber,
  order: wholeNumber,
  kind: v.string(),
  subject: v.string(),
});
/**
 * Something planned, as data, so that a restart can go on with it: `order` is its number, `kind`
 * names the handler it goes to.
 */
type Plan = Readonly<v.InferOutput<typeof planSchema>>;

/** What a clock is as plain data. */
const snapshotSchema = v.strictObject({
  mode: v.picklist(['real', 'virtual']),
  now: wholeNumber,
  aheadMs: v.pipe(v.number(), v.finite(), v.minValue(0)),
  created: wholeNumber,
  plans: v.array(planSchema),
});
export type ClockSnapshot = v.InferOutput<typeof snapshotSchema>;

/** Timers hold at most 2³¹ ms; a clock looks again after this long. */
const LONGEST_TIMER_MS = 60 * 60_000;

/**
 * So much work that takes its time is begun before an advance waits for it: what waits for its turn
 * takes memory.
 */
const MOST_UNDER_WAY = 256;

/**
 * The one clock of a sandbox. What is due runs by due time, then by order of creation, whether time
 * passes by itself or is moved. Time goes back only by `reset`, and nothing that was due before a
 * reset happens after it.
 */
export class Clock {
  readonly #startMode: ClockMode;
  #mode: ClockMode = 'real';
  #aheadMs = 0;
  #stoppedAt: number | undefined;
  #latest = 0;
  readonly #handlers = new Map<string, Run>();
  /** The next one is the last. */
  #queue: Plan[] = [];
  /** Plans whose work is not done yet: a restart does it again. */
  readonly #underWay = new Set<Plan>();
  #created = 0;
  #life = 0;
  #isAdvancing = false;
  #turn: Promise<unknown> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;

  /** `startMode` is how time passes at first, and after each reset. */
  constructor(startMode: ClockMode = 'real') {
    this.#startMode = startMode;
    this.reset();
  }

  /** Milliseconds since 1970, in this clock's time. */
  now(): number {
    this.#latest = Math.max(this.#latest, this.#stoppedAt ?? Date.now() + this.#aheadMs);
    return this.#latest;
  }

  /** The same as ISO 8601 in UTC. */
  timestamp(at: number = this.now()): string {
    return new Date(at).toISOString();
  }

  get mode(): ClockMode {
    return this.#mode;
  }

  /** True while an advance runs what is due. */
  get isAdvancing(): boolean {
    return this.#isAdvancing;
  }

  /** Names what happens when a plan of this kind is due. */
  handle(kind: string, run: Run): void {
    this.#handlers.set(kind, run);
  }

  /**
   * Plans that the handler of `kind` is called for `subject` once this clock reads `at`, or soon
   * where that is past. Returns the plan's number.
   */
  plan(at: number, kind: string, subject: string): number {
    const order = this.#created++;
    insertSorted(this.#queue, { at, order, kind, subject }, inReverse);
    if (this.#queue.at(-1)?.order === order) this.#arm();
    return order;
  }

  /** Calls off what was planned under a number; one that has run, or null, changes nothing. */
  callOff(order: number | null): void {
    const at = this.#queue.findIndex((plan) => plan.order === order);
    if (at >= 0) this.#queue.splice(at, 1);
  }

  /** When the next thing is due, or null where nothing is. */
  nextDueAt(): number | null {
    return this.#queue.at(-1)?.at ?? null;
  }

  /** How often it was reset: tells whether that came between two moments. */
  get life(): number {
    return this.#life;
  }

  /**
   * Moves time on by `ms`; resolves once everything due has run, in order. Waits for an earlier
   * advance; a reset calls both off.
   */
  advance(ms: number): Promise<void> {
    return this.#inTurn(() => this.#runUntil(this.now() + ms));
  }

  /**
   * Stops time, at `at` if that is given and not past; false where it is past. What is due by then
   * runs first.
   */
  async makeVirtual(at?: number): Promise<boolean> {
    let isPast = false;
    await this.#inTurn(async () => {
      isPast = at !== undefined && at < this.now();
      if (isPast) return;
      this.#mode = 'virtual';
      await this.#runUntil(at ?? this.now());
    });
    return !isPast;
  }

  /**
   * Lets time pass by itself again: from the real time, or from where this clock stood where that
   * is later.
   */
  makeReal(): Promise<void> {
    return this.#inTurn(async () => {
      this.#mode = 'real';
      await this.#runUntil(Math.max(this.now(), Date.now()));
    });
  }

  /**
   * Forgets everything due and reads the real time again. An advance under way ends without running
   * more.
   */
  reset(): void {
    this.#life++;
    this.#mode = this.#startMode;
    this.#aheadMs = 0;
    this.#stoppedAt = this.#mode === 'virtual' ? Date.now() : undefined;
    this.#latest = 0;
    this.#queue = [];
    this.#underWay.clear();
    clearTimeout(this.#timer);
  }

  /** Where the clock stands and all that is planned, as plain data. */
  snapshot(): ClockSnapshot {
    const now = this.now();
    // In the middle of an advance a real clock has not yet gone on from where it stands.
    const aheadMs =
      this.#mode === 'real' && this.#stoppedAt !== undefined
        ? Math.max(0, now - Date.now())
        : this.#aheadMs;
    return {
      mode: this.#mode,
      now,
      aheadMs,
      created: this.#created,
      plans: [...this.#underWay, ...this.#queue.toReversed()],
    };
  }

  /**
   * Goes on from a snapshot, under the handlers there are: a virtual clock stands where it stood, a
   * real one has moved on meanwhile. Nothing runs before `start`. Throws where it is given no
   * snapshot.
   */
  restore(data: unknown): void {
    const { mode, now, aheadMs, created, plans } = v.parse(snapshotSchema, data);
    const unknown = plans.find(({ kind }) => !this.#handlers.has(kind));
    if (unknown) throw new Error('It plans something this version does not know.');
    this.reset();
    this.#mode = mode;
    this.#aheadMs = aheadMs;
    this.#stoppedAt = mode === 'virtual' ? now : undefined;
    this.#latest = now;
    this.#created = created;
    this.#queue = plans.toSorted(inReverse);
  }

  /** Lets what was restored happen from here on. */
  start(): void {
    this.#arm();
  }

  /** Does `work` once what was asked for before is done; not at all where a reset came between. */
  #inTurn(work: () => Promise<void>): Promise<void> {
    const life = this.#life;
    const result = this.#turn.then(() => (life === this.#life ? work() : undefined));
    this.#turn = result.catch(() => undefined);
    return result;
  }

  async #runUntil(target: number): Promise<void> {
    const life = this.#life;
    this.#isAdvancing = true;
    this.#stoppedAt = this.now();
    let started: Promise<void>[] = [];
    try {
      for (;;) {
        const next = this.#queue.at(-1);
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
        if (life !== this.#life) return;
      }
      this.#stoppedAt = target;
      this.now();
    } finally {
      this.#isAdvancing = false;
      if (life === this.#life && this.#mode === 'real') {
        this.#aheadMs = Math.max(0, this.now() - Date.now());
        this.#stoppedAt = undefined;
      }
      this.#arm();
    }
  }

  #arm(): void {
    clearTimeout(this.#timer);
    const next = this.#queue.at(-1);
    if (!next || this.#isAdvancing) return;
    const waitMs = next.at - this.now();
    if (waitMs > 0 && this.#mode === 'virtual') return;
    this.#timer = setTimeout(() => this.#runDue(), Math.min(Math.max(waitMs, 0), LONGEST_TIMER_MS));
    this.#timer.unref();
  }

  #runDue(): void {
    const now = this.now();
    while ((this.#queue.at(-1)?.at ?? Infinity) <= now) void this.#runNext();
    this.#arm();
  }

  #runNext(): Promise<void> | undefined {
    const plan = this.#queue.pop()!;
    const work = this.#handlers.get(plan.kind)?.(plan.subject, plan.order);
    if (!work) return undefined;
    this.#underWay.add(plan);
    return work.finally(() => this.#underWay.delete(plan));
  }
}

/** Real milliseconds since some moment in the past: for how long things took, and nothing else. */
export function realTimeMs(): number {
  return performance.now();
}

/** Waits in real time, whatever the sandbox's clock reads. */
export function pauseInRealTime(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}

/** Waits for `work`, at most `ms` of real time; tells whether it ended. */
export async function isDoneWithin(work: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  try {
    return await Promise.race([work.then(() => true as const), late]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * A signal that aborts after `ms` of real time unless it is called off, which leaves nothing
 * behind.
 */
export function deadlineIn(ms: number): { readonly signal: AbortSignal; callOff(): void } {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), ms).unref();
  return { signal: controller.signal, callOff: () => clearTimeout(timer) };
}

/** The plan that is due last first. */
function inReverse(one: Plan, other: Plan): number {
  return other.at - one.at || other.order - one.order;
}
