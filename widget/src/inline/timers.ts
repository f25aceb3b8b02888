/**
 * Acts once after a while, unless the signal aborts before or the function given back is called.
 */
export function after(ms: number, signal: AbortSignal, act: () => void): () => void {
  const timer = setTimeout(act, ms);
  return undo(signal, () => clearTimeout(timer));
}

/** Acts at every beat until the signal aborts or the function given back is called. */
export function every(ms: number, signal: AbortSignal, act: () => void): () => void {
  const timer = setInterval(act, ms);
  return undo(signal, () => clearInterval(timer));
}

function undo(signal: AbortSignal, stop: () => void): () => void {
  signal.addEventListener('abort', stop);
  return () => {
    stop();
    signal.removeEventListener('abort', stop);
  };
}
