/** Acts at once, or as soon as the page has a body; never once the signal has aborted. */
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
