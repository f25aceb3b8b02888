import { PaymentsError } from '../errors.ts';
import { ServiceCallError } from '../service/client.ts';
import type { Clock } from '../support/clock.ts';

const ANSWER_WITHIN_MS = 10_000;

const CANNOT_BE_ASKED =
  'The payment service cannot be asked right now. Do not pay again: the shop keeps asking.';

/**
 * Waits for confirms ten seconds at most. Fails with `not_known_yet` and a sentence if the service
 * cannot be asked by then (D52). The confirms go on, and move payments when they can.
 */
export async function inTime<Result>(
  clock: Clock,
  confirms: Promise<Result>,
  sentence = CANNOT_BE_ASKED,
): Promise<Result> {
  const tooLate = Promise.withResolvers<never>();
  const cancel = clock.after(ANSWER_WITHIN_MS, () =>
    tooLate.reject(new ServiceCallError('timeout', 'There was no answer within ten seconds.')),
  );
  try {
    return await Promise.race([confirms, tooLate.promise]);
  } catch (cause) {
    if (!(cause instanceof ServiceCallError)) throw cause;
    const { retryAfterSeconds } = cause;
    throw new PaymentsError('not_known_yet', sentence, { cause, retryAfterSeconds });
  } finally {
    cancel();
  }
}
