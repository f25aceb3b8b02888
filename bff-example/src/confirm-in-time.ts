import { ApiError } from './api-error.ts';
import type { Clock } from './clock.ts';
import type { Confirm } from './confirm.ts';
import { ServiceCallError } from './service-client.ts';

/** Confirms that may be waited for while the service hangs. Who comes then is told at once what the others are told in the end. */
const MOST_WAITING = 2_000;

/** Who waits is told so much later at the latest, whatever is waited for: the service, or an instance that asks it already. */
const ANSWER_WITHIN_MS = 10_000;

/**
 * The same `confirm` for customers, who wait ten seconds at most. Fails with `not_known_yet` (503, code 10) where the service
 * cannot be asked (D52). It gives up waiting and not the confirm, which moves the payment when it can.
 */
export function buildConfirmInTime(confirm: Confirm, clock: Clock): Confirm {
  let waiting = 0;

  return async (reference, trigger, justRead) => {
    if (waiting >= MOST_WAITING) throw notKnownYet();
    waiting++;
    const tooLate = Promise.withResolvers<never>();
    const cancel = clock.after(ANSWER_WITHIN_MS, () => tooLate.reject(notKnownYet()));
    try {
      return await Promise.race([confirm(reference, trigger, justRead), tooLate.promise]);
    } catch (error) {
      throw error instanceof ServiceCallError ? notKnownYet(error) : error;
    } finally {
      cancel();
      waiting--;
    }
  };
}

function notKnownYet(cause?: ServiceCallError): ApiError {
  return new ApiError('not_known_yet', 'The payment service cannot be asked right now. Do not pay again: the shop keeps asking.', {
    cause,
    retryAfterSeconds: cause?.retryAfterSeconds,
  });
}
