import { PaymentsError } from '../errors.ts';
import { ServiceCallError } from '../service/client.ts';
import type { Clock } from '../support/clock.ts';

/** Customers who may wait while the service hangs. Beyond them, requests fail at once. */
const MOST_WAITING = 2_000;
const ANSWER_WITHIN_MS = 10_000;

const CANNOT_BE_ASKED =
  'The payment service cannot be asked right now. Do not pay again: the shop keeps asking.';

/** Runs confirms that a customer waits for. */
export type InTime = <Result>(
  confirms: () => Promise<Result>,
  sentence?: string,
) => Promise<Result>;

/**
 * Builds a function that waits ten seconds at most, and fails with `not_known_yet` and a sentence if
 * the service cannot be asked by then (D52). The confirms go on, and move payments when they can.
 */
export function buildInTime(clock: Clock): InTime {
  let waiting = 0;

  return async (confirms, sentence = CANNOT_BE_ASKED) => {
    if (waiting >= MOST_WAITING) throw notKnownYet(sentence);
    waiting++;
    const tooLate = Promise.withResolvers<never>();
    const cancel = clock.after(ANSWER_WITHIN_MS, () => tooLate.reject(notKnownYet(sentence)));
    try {
      return await Promise.race([confirms(), tooLate.promise]);
    } catch (error) {
      throw error instanceof ServiceCallError ? notKnownYet(sentence, error) : error;
    } finally {
      cancel();
      waiting--;
    }
  };
}

function notKnownYet(sentence: string, cause?: ServiceCallError): PaymentsError {
  const retryAfterSeconds = cause?.retryAfterSeconds;
  return new PaymentsError('not_known_yet', sentence, { cause, retryAfterSeconds });
}
