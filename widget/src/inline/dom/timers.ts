/** Calls `act` once, unless the signal aborts or the returned function is called first. */
export function after(ms: number, signal: AbortSignal, act: () => void): () => void {
  const timer = setTimeout(act, ms);
  const stop = () => {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
  };
  signal.addEventListener('abort', stop);
  return stop;
}

/**
 * Calls `act` after the next frame has been painted, so that its cost delays no paint; at once in a
 * hidden page, which paints nothing.
 */
export function afterPaint(signal: AbortSignal, act: () => unknown): void {
  if (document.hidden) {
    act();
    return;
  }
  let frame = requestAnimationFrame(() => {
    frame = requestAnimationFrame(act);
  });
  signal.addEventListener('abort', () => cancelAnimationFrame(frame));
}
