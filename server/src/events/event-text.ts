import { toServerSentEvent } from '@service-pay/contract/server-sent-event';

import type { ShownPayment } from '../payments/payment.ts';
import type { Clock } from '../support/clock.ts';

const HEARTBEAT_MS = 15_000;
const LONGEST_MS = 30 * 60_000;
const RECONNECT_MS = 3_000;

const HEARTBEAT = ': still here\n\n';

/**
 * Yields the text of an event stream: each state that `watch` yields, and a heartbeat after 15 s
 * without one. Ends with the states, or after 30 minutes.
 */
export async function* writeEvents(
  watch: (signal: AbortSignal) => AsyncGenerator<ShownPayment>,
  clock: Clock,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const ending = new AbortController();
  const end = () => ending.abort();
  const cancel = clock.after(LONGEST_MS, end);
  const states = watch(AbortSignal.any([signal, ending.signal]));
  try {
    yield `retry: ${RECONNECT_MS}\n\n`;
    for (let next = states.next(); ; ) {
      const beat = Promise.withResolvers<undefined>();
      const stop = clock.after(HEARTBEAT_MS, () => beat.resolve(undefined));
      const found = await Promise.race([next, beat.promise]).finally(stop);
      if (found?.done) return;
      yield found ? toServerSentEvent('payment', found.value) : HEARTBEAT;
      if (found) next = states.next();
    }
  } finally {
    cancel();
    end();
  }
}
