// The sandbox's time, estimated between two answers.

/** @typedef {{ mode: 'real' | 'virtual', now: string, nextDueAt?: string | null }} ClockState */

/** @type {ClockState | undefined} */
let told;
let toldAt = 0;

/** @param {ClockState} clock */
export function setClock(clock) {
  told = clock;
  toldAt = performance.now();
}

/**
 * Moves the clock forward to an event that is later.
 * @param {string} iso
 */
export function noteTime(iso) {
  if (told && Date.parse(iso) > sandboxNow()) setClock({ ...told, now: iso });
}

/** Milliseconds since 1970; NaN until the sandbox has answered. */
export function sandboxNow() {
  if (!told) return Number.NaN;
  return Date.parse(told.now) + (told.mode === 'real' ? performance.now() - toldAt : 0);
}

export function clockState() {
  return told;
}
