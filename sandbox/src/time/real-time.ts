export function realTimeMs(): number {
  return performance.now();
}

/** Waits, and keeps the process alive meanwhile. */
export function pauseInRealTime(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Waits in a sandbox that runs. Does not keep the process alive once the sandbox is closed. */
export function pauseWhileRunning(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}

/** Waits for `work`, at most `ms` of real time; returns whether it finished. */
export async function isDoneWithin(work: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  try {
    return await Promise.race([work.then(() => true as const), late]);
  } finally {
    clearTimeout(timer);
  }
}

/** A signal that aborts after `ms` of real time unless cancelled. */
export function deadlineIn(ms: number): { readonly signal: AbortSignal; callOff(): void } {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), ms).unref();
  return { signal: controller.signal, callOff: () => clearTimeout(timer) };
}
