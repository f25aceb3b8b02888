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
 * Gives a function that says true at most once per `ms` for each key: what is logged again and
 * again is logged once.
 */
export function buildThrottle(clock: Clock, ms: number): (key: string) => boolean {
  const lastAt = new Map<string, number>();
  return (key) => {
    const last = lastAt.get(key);
    if (last !== undefined && !hasPassed(clock, last, ms)) return false;
    lastAt.set(key, clock.now());
    return true;
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
