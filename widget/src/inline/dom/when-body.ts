/** Calls `act` now, or when the page gets a body, unless the signal has aborted. */
export function whenBody(signal: AbortSignal, act: () => void): void {
  if (document.body) {
    act();
    return;
  }
  const parser = new MutationObserver(() => {
    if (!document.body) return;
    parser.disconnect();
    act();
  });
  parser.observe(document.documentElement, { childList: true });
  signal.addEventListener('abort', () => parser.disconnect());
}
