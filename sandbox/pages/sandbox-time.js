// What time it is in the sandbox, between two times it was asked.

/** @typedef {{ mode: 'real' | 'virtual', now: string, nextDueAt?: string | null }} ClockState */

/** @type {ClockState | undefined} */
let told;
let toldAt = 0;

/**
 * What the sandbox says of its clock.
 * @param {ClockState} clock
 */
export function setClock(clock) {
  told = clock;
  toldAt = performance.now();
}

/**
 * Something happened at a time: it is at least that late.
 * @param {string} iso
 */
export function noteTime(iso) {
  if (told && Date.parse(iso) > sandboxNow()) setClock({ ...told, now: iso });
}

/** In milliseconds since 1970; no number before the sandbox has said. */
export function sandboxNow() {
  if (!told) return Number.NaN;
  return Date.parse(told.now) + (told.mode === 'real' ? performance.now() - toldAt : 0);
}

export function clockState() {
  return told;
}
