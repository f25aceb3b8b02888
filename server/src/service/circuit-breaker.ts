import { CircuitState as BreakerState, CountBreaker, circuitBreaker, handleWhen } from 'cockatiel';

import { realClock } from '../support/clock.ts';

/** Opens when more than 80 % of the last 20 calls failed, after at least 5 calls. */
const OPENS_AT = { threshold: 0.8, size: 20, minimumNumberOfCalls: 5 };

export const OPEN_FOR_MS = 2_000;

export type CircuitState = 'closed' | 'open' | 'half-open';
export type CircuitBreaker = ReturnType<typeof buildCircuitBreaker>;

/**
 * Builds a circuit breaker, so that no customer waits for a service that is down. Counts only
 * errors for which `isOutage` returns true.
 */
export function buildCircuitBreaker(isOutage: (error: unknown) => boolean) {
  const breaker = circuitBreaker(handleWhen(isOutage), {
    breaker: new CountBreaker(OPENS_AT),
    halfOpenAfter: OPEN_FOR_MS,
  });
  let probesAt = 0;
  breaker.onBreak(() => {
    probesAt = realClock.now() + OPEN_FOR_MS;
  });

  return {
    /** Is `half-open` as soon as the next call may go through. */
    get state(): CircuitState {
      if (breaker.state === BreakerState.Closed) return 'closed';
      const isOpen = breaker.state === BreakerState.Open && realClock.now() < probesAt;
      return isOpen ? 'open' : 'half-open';
    },
    run: <Result>(call: () => Promise<Result>): Promise<Result> => breaker.execute(call),
  };
}
