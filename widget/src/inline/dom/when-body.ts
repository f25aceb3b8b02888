/** Calls `act` now, or once the page has been parsed if it has no body yet, unless the signal aborts. */
export function whenBody(signal: AbortSignal, act: () => void): void {
  if (document.body) act();
  else document.addEventListener('DOMContentLoaded', act, { signal });
}
