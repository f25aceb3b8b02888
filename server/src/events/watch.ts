import { toServerSentEvent } from '@service-pay/contract/server-sent-event';
import type { ShownPayment } from '../payments/payment.ts';
import type { Clock } from '../support/clock.ts';
import { isDatabaseFailure } from '../support/database-failure.ts';

const READ_EVERY_MS = 3_000;

const BEAT_EVERY_MS = 15_000;
const LONGEST_STREAM_MS = 30 * 60_000;
const RECONNECT_MS = 3_000;

const HEARTBEAT = ': still here\n\n';

/**
 * Reads the state of an order at once, at each change, and every 3 s, because another process may
 * have changed it (T111) or the database may have failed. Yields each new state, and undefined if
 * nothing changed.
 */
export async function* watchState(
  source: { read(): Promise<ShownPayment>; watch(listener: () => void): () => void },
  clock: Clock,
  signal: AbortSignal,
): AsyncGenerator<ShownPayment | undefined> {
  let changed = Promise.withResolvers<void>();
  const wake = () => changed.resolve();
  const stop = source.watch(wake);
  signal.addEventListener('abort', wake);
  try {
    for (let last: string | undefined; !signal.aborted; ) {
      changed = Promise.withResolvers();
      const shown = await source.read().catch((error: unknown) => {
        if (!isDatabaseFailure(error)) throw error;
      });
      const says = shown ? JSON.stringify(shown) : last;
      yield shown && says !== last ? shown : undefined;
      last = says;
      if (shown && shown.status !== 'pending') return;
      const cancel = clock.after(READ_EVERY_MS, wake);
      await changed.promise;
      cancel();
    }
  } finally {
    stop();
    signal.removeEventListener('abort', wake);
  }
}

/** Yields the text of an event stream, with a heartbeat every 15 s, for half an hour. */
export async function* writeEvents(
  states: AsyncIterable<ShownPayment | undefined>,
  clock: Clock,
): AsyncGenerator<string> {
  const endsAt = clock.now() + LONGEST_STREAM_MS;
  let beatAt = clock.now() + BEAT_EVERY_MS;
  yield `retry: ${RECONNECT_MS}\n\n`;
  for await (const shown of states) {
    const now = clock.now();
    if (!shown && now < beatAt) continue;
    yield shown ? toServerSentEvent('payment', shown) : HEARTBEAT;
    if (now >= endsAt) return;
    beatAt = now + BEAT_EVERY_MS;
  }
}
