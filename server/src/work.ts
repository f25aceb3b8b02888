import type { FulfilmentWorker } from './fulfilment/worker.ts';
import type { ConfirmQueue } from './payments/confirm-queue.ts';
import type { Reconciler } from './payments/reconciler.ts';
import type { Clock } from './support/clock.ts';

const TIDY_EVERY_MS = 10 * 60_000;

/** The background's parts, for a process that works only when it is called. */
export interface WorkParts {
  reconciler: Reconciler;
  worker: FulfilmentWorker;
  confirms: ConfirmQueue;
  clock: Clock;
  /** Runs first. If it fails, nothing else runs. */
  prepare: () => Promise<void>;
  /** The rare work, in small steps until `signal` aborts: see `tidyUp` and `raiseAlerts`. */
  tidy: (signal: AbortSignal) => Promise<void>;
}

/** Builds a function that does what is due, until nothing is left or its signal aborts. */
export function buildWork(parts: WorkParts): (signal: AbortSignal) => Promise<void> {
  const { reconciler, worker, confirms, clock, prepare, tidy } = parts;
  let tidiedAt = Number.NEGATIVE_INFINITY;

  return async (signal) => {
    const aborted = new Promise<number>((resolve) => {
      signal.addEventListener('abort', () => resolve(0));
    });
    if (!signal.aborted) await Promise.race([prepare(), aborted]);
    if (!signal.aborted) await Promise.all([workOff(signal, aborted), tidyRarely(signal)]);
  };

  async function workOff(signal: AbortSignal, aborted: Promise<number>): Promise<void> {
    for (let found = 1; found && !signal.aborted; ) {
      const polled = Promise.all([confirms.untilIdle(), reconciler.pass(signal)]).then(sum);
      // a call of fulfil is waited for, because it must hold no lease afterwards
      found = sum(await Promise.all([Promise.race([polled, aborted]), worker.pass(signal)]));
    }
  }

  async function tidyRarely(signal: AbortSignal): Promise<void> {
    const passedMs = clock.now() - tidiedAt;
    if (passedMs >= 0 && passedMs < TIDY_EVERY_MS) return; // negative if the clock was set back
    await tidy(signal);
    if (!signal.aborted) tidiedAt = clock.now();
  }
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}
