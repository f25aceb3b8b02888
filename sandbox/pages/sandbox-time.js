// What time it is in the sandbox, between two times it was asked.

/** @typedef {{ mode: 'real' | 'virtual', now: string, nextDueAt?: string | null }} ClockState */

/** @type {ClockState} */
let told = { mode: 'real', now: new Date().toISOString() };
let toldAt = performance.now();

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
  if (Date.parse(iso) > sandboxNow()) setClock({ ...told, now: iso });
}

export function sandboxNow() {
  return Date.parse(told.now) + (told.mode === 'real' ? performance.now() - toldAt : 0);
}

export function clockState() {
  return told;
}
