// The sandbox's time, estimated between two responses.

interface ClockState {
  mode: 'real' | 'virtual';
  now: string;
  nextDueAt?: string | null;
}

let known: ClockState | undefined;
let knownAt = 0;

export function setClock(clock: ClockState) {
  known = clock;
  knownAt = performance.now();
}

/** Moves the clock forward to an event that is later. */
export function noteTime(iso: string) {
  if (known && Date.parse(iso) > sandboxNow()) setClock({ ...known, now: iso });
}

/** Milliseconds since 1970; NaN until the sandbox has responded. */
export function sandboxNow() {
  if (!known) return Number.NaN;
  return Date.parse(known.now) + (known.mode === 'real' ? performance.now() - knownAt : 0);
}

export function clockState() {
  return known;
}
