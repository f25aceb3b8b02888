/**
 * Time as the frame sees it: how long something takes, never what o'clock it is, which only the
 * service knows.
 */
export interface Clock {
  /** Milliseconds since some moment. Never goes back. */
  now(): number;
  /** Calls `act` once after `ms`, unless the function it gives is called before. */
  after(ms: number, act: () => void): () => void;
}

/** The machine's own clock. */
export const realClock: Clock = {
  now: () => performance.now(),
  after(ms, act) {
    const timer = setTimeout(act, ms);
    return () => clearTimeout(timer);
  },
};
