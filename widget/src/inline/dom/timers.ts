/** Calls `act` once, unless the signal aborts or the returned function is called first. */
export function after(ms: number, signal: AbortSignal, act: () => void): () => void {
  const timer = setTimeout(act, ms);
  return undo(signal, () => clearTimeout(timer));
}

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
