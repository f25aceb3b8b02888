import { CircuitState as BreakerState, CountBreaker, circuitBreaker, handleWhen } from 'cockatiel';

import { realClock } from '../support/clock.ts';

/** Opens when more than 80 % of the last 20 calls failed, and of at least 5. */
const OPENS_AT = { threshold: 0.8, size: 20, minimumNumberOfCalls: 5 };

export const OPEN_FOR_MS = 2_000;

export type CircuitState = 'closed' | 'open' | 'half-open';

export interface CircuitBreaker {
  readonly state: CircuitState;
  run<Result>(call: (isProbe: boolean) => Promise<Result>): Promise<Result>;
}

/**
 * Builds a circuit breaker, so that no customer waits for a service that is down. Only errors for
 * which `isFailure` returns true count.
 */
export function buildCircuitBreaker(isFailure: (error: unknown) => boolean): CircuitBreaker {
  const breaker = circuitBreaker(handleWhen(isFailure), {
    breaker: new CountBreaker(OPENS_AT),
    halfOpenAfter: OPEN_FOR_MS,
  });
  let openedAt = 0;
  breaker.onBreak(() => {
    openedAt = realClock.now();
  });

  return {
    get state() {
      if (breaker.state === BreakerState.Closed) return 'closed';
      const mayProbe = realClock.now() - openedAt >= OPEN_FOR_MS;
      return breaker.state === BreakerState.HalfOpen || mayProbe ? 'half-open' : 'open';
    },
    run: (call) => breaker.execute(() => call(breaker.state === BreakerState.HalfOpen)),
  };
}
