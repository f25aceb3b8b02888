// The sandbox's time, estimated between two answers.

/** @typedef {{ mode: 'real' | 'virtual', now: string, nextDueAt?: string | null }} ClockState */

/** @type {ClockState | undefined} */
let known;
let knownAt = 0;

/** @param {ClockState} clock */
export function setClock(clock) {
  known = clock;
  knownAt = performance.now();
}

/**
 * Moves the clock forward to an event that is later.
 * @param {string} iso
 */
export function noteTime(iso) {
  if (known && Date.parse(iso) > sandboxNow()) setClock({ ...known, now: iso });
}

/** Milliseconds since 1970; NaN until the sandbox has answered. */
export function sandboxNow() {
  if (!known) return Number.NaN;
  return Date.parse(known.now) + (known.mode === 'real' ? performance.now() - knownAt : 0);
}

export function clockState() {
  return known;
}
