import { notKnownYet } from '../errors.ts';
import type { Clock } from '../support/clock.ts';

const ANSWER_WITHIN_MS = 10_000;

/**
 * Waits for confirms ten seconds at most, then fails with `not_known_yet` (D52). The confirms go on,
 * and move payments when they can.
 */
export async function inTime<Result>(clock: Clock, confirms: Promise<Result>): Promise<Result> {
  const tooLate = Promise.withResolvers<never>();
  const cancel = clock.after(ANSWER_WITHIN_MS, () =>
    tooLate.reject(notKnownYet('timeout', 'There was no answer within ten seconds.')),
  );
  return Promise.race([confirms, tooLate.promise]).finally(cancel);
}
