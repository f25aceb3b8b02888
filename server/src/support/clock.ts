const LONGEST_IDLE_MS = 5_000;

/** Node makes a longer timer, and one of infinity, end at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export interface Clock {
  now(): number;
  after(ms: number, task: () => void): () => void;
  /** True for the machine's clock, which may be wrong, and not for a clock that a test moves. */
  readonly isOfMachine?: boolean;
}

/** The machine's time. A waiting task does not keep the process alive: see `keepAlive`. */
export const realClock: Clock = {
  now: () => Date.now(),
  after(ms, task) {
    let timer: NodeJS.Timeout;
    const wait = (leftMs: number) => {
      const restMs = leftMs - LONGEST_TIMER_MS;
      const isLong = restMs > 0;
      timer = setTimeout(isLong ? () => wait(restMs) : task, isLong ? LONGEST_TIMER_MS : leftMs);
      timer.unref();
    };
    wait(ms);
    return () => clearTimeout(timer);
  },
  isOfMachine: true,
};

export function pause(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => clock.after(ms, resolve));
}

/**
 * Keeps the process alive until a task has ended. Every promise returned to a caller needs it
 * (T130).
 */
export async function keepAlive<Result>(task: () => Promise<Result>): Promise<Result> {
  const holding = setInterval(() => {}, LONGEST_TIMER_MS);
  try {
    return await task();
  } finally {
    clearInterval(holding);
  }
}

/** Waits for `ms`, and keeps the process alive meanwhile. */
export function pauseForCaller(clock: Clock, ms: number): Promise<void> {
  return keepAlive(() => pause(clock, ms));
}

/** Keeps the process alive while a caller waits for the next value. */
export async function* keepAliveForEach<Value>(
  values: AsyncGenerator<Value>,
): AsyncGenerator<Value> {
  try {
    for (;;) {
      const { done, value } = await keepAlive(() => values.next());
      if (done) return;
      yield value;
    }
  } finally {
    await values.return(undefined);
  }
}

/** Ends what is repeated, and resolves once a run of it has ended. */
export type Stop = () => Promise<void>;

/** Repeats `task`, `ms` after its last run ended, until the returned function is called. */
export function repeat(clock: Clock, ms: number | (() => number), task: () => Promise<void>): Stop {
  const wait = () => clock.after(typeof ms === 'number' ? ms : ms(), run);
  let cancel = wait();
  let running = Promise.resolve();
  let stopped = false;
  return () => {
    stopped = true;
    cancel();
    return running;
  };

  function run(): void {
    running = task().finally(() => {
      if (!stopped) cancel = wait();
    });
  }
}

/**
 * Returns how long to wait for the time that something is due: not so long that what another process
 * wrote waits for more than five seconds, and not so short that one loop fills the database.
 */
export function pauseUntil(dueAt: number, clock: Clock, shortestMs: number): number {
  return Math.min(Math.max(dueAt - clock.now(), shortestMs), LONGEST_IDLE_MS);
}

/**
 * Returns a function that returns true at most once per `ms` for each key, to rate-limit log lines.
 * Keys are never forgotten, so they must not come from requests.
 */
export function buildThrottle(clock: Clock, ms: number): (key: string) => boolean {
  const admittedAt = new Map<string, number>();
  return (key) => {
    const passedMs = clock.now() - (admittedAt.get(key) ?? Number.NEGATIVE_INFINITY);
    if (passedMs >= 0 && passedMs < ms) return false; // negative if the clock was set back
    admittedAt.set(key, clock.now());
    return true;
  };
}
