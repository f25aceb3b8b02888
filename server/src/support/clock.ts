/** Node takes no longer one. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Time as an argument, so that a test moves it instead of waiting. */
export interface Clock {
  /** Milliseconds since 1970, UTC. */
  now(): number;
  /** Runs `task` once, `ms` from now, and gives a function that calls it off. */
  after(ms: number, task: () => void): () => void;
  /** Whether it is the machine's, which may be wrong, and not one that a test moves. */
  readonly isOfMachine?: boolean;
}

/**
 * The time of the machine. A task that waits on it does not keep the process alive: `keepAlive`
 * does.
 */
export const realClock: Clock = {
  now: () => Date.now(),
  after(ms, task) {
    const timer = setTimeout(task, ms).unref();
    return () => clearTimeout(timer);
  },
  isOfMachine: true,
};

/** Resolves `ms` from now. */
export function pause(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => clock.after(ms, resolve));
}

/** Does what must come to its end: the process lives as long, whatever it waits for. */
export async function keepAlive<Result>(task: () => Promise<Result>): Promise<Result> {
  const holding = setInterval(() => {}, LONGEST_TIMER_MS);
  try {
    return await task();
  } finally {
    clearInterval(holding);
  }
}

/**
 * Runs `task` every `ms`, each run `ms` after the end of the one before, until the function it
 * gives is called.
 */
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
 * Returns a function that returns true at most once per `ms` for each key: a log line that would
 * repeat is written once. Each key is remembered forever, so a stranger must not be able to make
 * new ones.
 */
export function buildThrottle(clock: Clock, ms: number): (key: string) => boolean {
  const admit = buildCountingThrottle(clock, ms, 1);
  return (key) => admit(key) !== undefined;
}

/**
 * Returns a function that admits `most` calls per key in each `ms`. For a call it admits, it
 * returns how many it has refused since the one before; for the others, undefined.
 */
export function buildCountingThrottle(
  clock: Clock,
  ms: number,
  most: number,
): (key: string) => number | undefined {
  const windows = new Map<string, { since: number; admitted: number; refused: number }>();
  return (key) => {
    let window = windows.get(key);
    if (!window || hasPassed(clock, window.since, ms)) {
      window = { since: clock.now(), admitted: 0, refused: window?.refused ?? 0 };
      windows.set(key, window);
    }
    if (window.admitted >= most) {
      window.refused += 1;
      return undefined;
    }
    const { refused } = window;
    window.admitted += 1;
    window.refused = 0;
    return refused;
  };
}

/**
 * Whether `ms` have passed since then. They have since a time to come: the clock was set back, and
 * nobody waits for it to get there.
 */
export function hasPassed(clock: Clock, since: number, ms: number): boolean {
  const passedMs = clock.now() - since;
  return passedMs >= ms || passedMs < 0;
}
