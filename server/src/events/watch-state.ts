import { isDatabaseFailure } from '../database/open.ts';
import type { ShownPayment } from '../payments/payment.ts';
import type { Clock } from '../support/clock.ts';

const READ_AGAIN_MS = 15_000;

const READ_AFTER_FAILURE_MS = 3_000;

/** Yields how an order stands, at once and at each change. Reads again while the database fails. */
export async function* watchState(
  source: { read(): Promise<ShownPayment>; watch(listener: () => void): () => void },
  clock: Clock,
  signal?: AbortSignal,
): AsyncGenerator<ShownPayment> {
  let changed = Promise.withResolvers<void>();
  const wake = () => changed.resolve();
  const stop = source.watch(wake);
  signal?.addEventListener('abort', wake);
  try {
    for (let told = ''; !signal?.aborted; ) {
      changed = Promise.withResolvers();
      const shown = await source.read().catch((error: unknown) => {
        if (!isDatabaseFailure(error)) throw error;
        return undefined;
      });
      const says = shown ? JSON.stringify(shown) : told;
      if (shown && says !== told) yield shown;
      told = says;
      if (shown && shown.status !== 'pending') return;
      if (signal?.aborted) return;
      const cancel = clock.after(shown ? READ_AGAIN_MS : READ_AFTER_FAILURE_MS, wake);
      await changed.promise;
      cancel();
    }
  } finally {
    stop();
    signal?.removeEventListener('abort', wake);
  }
}
