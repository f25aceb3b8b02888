/** How a clock moves: with the real one, or only when told to. */
export type ClockMode = 'real' | 'virtual';

/** Something that is due: an event that starts work may return a promise, which an advance waits for before time moves on. */
type Run = () => void | Promise<void>;

interface Due {
  readonly at: number;
  readonly order: number;
  run: Run | undefined;
}

/** Timers hold at most 2³¹ ms; a clock looks again after this long. */
const LONGEST_TIMER_MS = 60 * 60_000;

/**
 * The one clock of a sandbox. What is due runs by due time, then by order of creation, whether time passes by itself or is
 * moved. Time goes back only by `reset`, and nothing that was due before a reset happens after it.
 */
export class Clock {
  readonly #startMode: ClockMode;
  #mode: ClockMode = 'real';
  #aheadMs = 0;
  #stoppedAt: number | undefined;
  #latest = 0;
  #queue: Due[] = [];
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

  /** Runs `run` once this clock reads `at`, or soon where that is past. Returns what calls it off. */
  schedule(at: number, run: Run): () => void {
    const due: Due = { at, order: this.#created++, run };
    push(this.#queue, due);
    this.#arm();
    return () => {
      due.run = undefined;
    };
  }

  /** Moves time on by `ms`; resolves once everything due has run, in order. Waits for an earlier advance. */
  advance(ms: number): Promise<void> {
    return this.#inTurn(() => this.#runUntil(this.now() + ms));
  }

  /** Stops time, at `at` if that is given and not past; false where it is past. What is due by then runs first. */
  makeVirtual(at?: number): Promise<boolean> {
    return this.#inTurn(async () => {
      if (at !== undefined && at < this.now()) return false;
      this.#mode = 'virtual';
      await this.#runUntil(at ?? this.now());
      return true;
    });
  }

  /** Lets time pass by itself again: from the real time, or from where this clock stood where that is later. */
  makeReal(): Promise<void> {
    return this.#inTurn(async () => {
      this.#mode = 'real';
      await this.#runUntil(Math.max(this.now(), Date.now()));
    });
  }

  /** Forgets everything due and reads the real time again. An advance under way ends without running more. */
  reset(): void {
    this.#life++;
    this.#mode = this.#startMode;
    this.#aheadMs = 0;
    this.#stoppedAt = this.#mode === 'virtual' ? Date.now() : undefined;
    this.#latest = 0;
    this.#queue = [];
    clearTimeout(this.#timer);
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#turn.then(work);
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
        const next = this.#queue[0];
        if (started.length && !(next && next.at <= this.#stoppedAt)) {
          await Promise.all(started);
          started = [];
        } else if (next && next.at <= target) {
          pop(this.#queue);
          this.#stoppedAt = Math.max(this.#stoppedAt, next.at);
          const work = next.run?.();
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
    const next = this.#queue[0];
    if (!next || this.#isAdvancing) return;
    const waitMs = next.at - this.now();
    if (waitMs > 0 && this.#mode === 'virtual') return;
    this.#timer = setTimeout(() => this.#runDue(), Math.min(Math.max(waitMs, 0), LONGEST_TIMER_MS));
    this.#timer.unref();
  }

  #runDue(): void {
    const now = this.now();
    while (this.#queue[0] && this.#queue[0].at <= now) void pop(this.#queue)?.run?.();
    this.#arm();
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

function isBefore(one: Due, other: Due): boolean {
  return one.at < other.at || (one.at === other.at && one.order < other.order);
}

function push(heap: Due[], due: Due): void {
  let at = heap.push(due) - 1;
  while (at > 0) {
    const above = (at - 1) >> 1;
    if (!isBefore(due, heap[above]!)) break;
    heap[at] = heap[above]!;
    at = above;
  }
  heap[at] = due;
}

function pop(heap: Due[]): Due | undefined {
  const first = heap[0];
  const last = heap.pop();
  if (!last || heap.length === 0) return first;
  let at = 0;
  for (;;) {
    let below = 2 * at + 1;
    if (below >= heap.length) break;
    if (below + 1 < heap.length && isBefore(heap[below + 1]!, heap[below]!)) below++;
    if (!isBefore(heap[below]!, last)) break;
    heap[at] = heap[below]!;
    at = below;
  }
  heap[at] = last;
  return first;
}
