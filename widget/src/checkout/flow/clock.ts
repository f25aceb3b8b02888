/** Durations as the frame measures them. Only the service knows the time of day. */
export interface Clock {
  now(): number;
  /** Calls `act` once after `ms`, unless the returned function is called first. */
  after(ms: number, act: () => void): () => void;
}

export const realClock: Clock = {
  now: () => performance.now(),
  after(ms, act) {
    const timer = setTimeout(act, ms);
    return () => clearTimeout(timer);
  },
};
