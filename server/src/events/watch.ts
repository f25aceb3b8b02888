import { toServerSentEvent } from '@service-pay/contract/server-sent-event';
import { isDatabaseFailure } from '../database/open.ts';
import type { ShownPayment } from '../payments/payment.ts';
import type { Clock } from '../support/clock.ts';

const READ_AGAIN_MS = 15_000;
const READ_AFTER_FAILURE_MS = 3_000;

const LONGEST_STREAM_MS = 30 * 60_000;
const RECONNECT_MS = 3_000;

const HEARTBEAT = ': still here\n\n';

/**
 * Yields how an order stands, at once and at each change, and undefined after 15 s without one.
 * Reads again while the database fails.
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
    for (let told: string | undefined; !signal.aborted; ) {
      changed = Promise.withResolvers();
      const shown = await source.read().catch((error: unknown) => {
        if (!isDatabaseFailure(error)) throw error;
      });
      const says = shown ? JSON.stringify(shown) : told;
      yield shown && says !== told ? shown : undefined;
      told = says;
      if (shown && shown.status !== 'pending') return;
      const cancel = clock.after(shown ? READ_AGAIN_MS : READ_AFTER_FAILURE_MS, wake);
      await changed.promise;
      cancel();
    }
  } finally {
    stop();
    signal.removeEventListener('abort', wake);
  }
}

/** Yields the text of an event stream, with a heartbeat for each undefined, for half an hour. */
export async function* writeEvents(
  states: AsyncIterable<ShownPayment | undefined>,
  clock: Clock,
): AsyncGenerator<string> {
  const endsAt = clock.now() + LONGEST_STREAM_MS;
  yield `retry: ${RECONNECT_MS}\n\n`;
  for await (const shown of states) {
    yield shown ? toServerSentEvent('payment', shown) : HEARTBEAT;
    if (clock.now() >= endsAt) return;
  }
}
