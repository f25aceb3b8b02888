import { PaymentsError } from '../errors.ts';
import { ServiceCallError } from '../service/client.ts';
import type { Clock } from '../support/clock.ts';

/**
 * Customers who may wait while the service hangs. Who comes then is told at once what the others
 * are told in the end.
 */
const MOST_WAITING = 2_000;

/**
 * Who waits is told so much later at the latest, whatever is waited for: the service, or an
 * instance that asks it already.
 */
const ANSWER_WITHIN_MS = 10_000;

const CANNOT_BE_ASKED =
  'The payment service cannot be asked right now. Do not pay again: the shop keeps asking.';

/** Runs confirms that a customer waits for, who is told `sentence` where it is not known yet. */
export type InTime = <Result>(
  confirms: () => Promise<Result>,
  sentence?: string,
) => Promise<Result>;

/**
 * Lets a customer wait ten seconds at most. Fails with `not_known_yet` (503, code 10) where the
 * service cannot be asked (D52). It gives up waiting and not the confirms, which move payments when
 * they can.
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
  return new PaymentsError('not_known_yet', sentence, {
    cause,
    retryAfterSeconds: cause?.retryAfterSeconds,
  });
}
