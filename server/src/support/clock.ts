const LONGEST_TIMER_MS = 2 ** 31 - 1;

export interface Clock {
  now(): number;
  after(ms: number, task: () => void): () => void;
  /** True for the machine's clock, which may be wrong, unlike one that a test moves. */
  readonly isOfMachine?: boolean;
}

/** The machine's time. A task that waits on it does not keep the process alive: see `keepAlive`. */
export const realClock: Clock = {
  now: () => Date.now(),
  after(ms, task) {
    const timer = setTimeout(task, ms).unref();
    return () => clearTimeout(timer);
  },
  isOfMachine: true,
};

export function pause(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => clock.after(ms, resolve));
}

/** Keeps the process alive until a task has ended, as every promise given to a caller must (T130). */
export async function keepAlive<Result>(task: () => Promise<Result>): Promise<Result> {
  const holding = setInterval(() => {}, LONGEST_TIMER_MS);
  try {
    return await task();
  } finally {
    clearInterval(holding);
  }
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

/** Runs `task` again and again, `ms` after the last run ended, until the returned function is called. */
export function repeat(clock: Clock, ms: number, task: () => Promise<void>): () => void {
  let cancel = clock.after(ms, run);
  let stopped = false;
  return () => {
    stopped = true;
    cancel();
  };

  function run(): void {
    void task().finally(() => {
      if (!stopped) cancel = clock.after(ms, run);
    });
  }
}

/**
 * Returns a function that returns true at most once per `ms` for each key, so that a log line is not
 * repeated. Keys are remembered forever: a stranger must not be able to make new ones.
 */
export function buildThrottle(clock: Clock, ms: number): (key: string) => boolean {
  const admittedAt = new Map<string, number>();
  return (key) => {
    const passedMs = clock.now() - (admittedAt.get(key) ?? Number.NEGATIVE_INFINITY);
    if (passedMs >= 0 && passedMs < ms) return false; // a clock that was set back holds up nobody
    admittedAt.set(key, clock.now());
    return true;
  };
}
