import type { Log } from '../observe/log.ts';
import type { Metrics } from '../observe/metrics.ts';
import type { ServiceCallError, ServiceClient } from '../service/client.ts';
import { buildThrottle, type Clock, repeat } from '../support/clock.ts';
import type { ConfirmQueue } from './confirm-queue.ts';
import { type DuePayment, NEVER, type ShopStore } from './store.ts';

export const FIRST_PAUSE_MS = 5_000;

const DOUBLES_UP_TO_MS = 40_000;
const STEADY_PAUSE_MS = 60_000;
const STEADY_UNTIL_AGE_MS = 45 * 60_000;
const LONGEST_PAUSE_MS = 6 * 60 * 60_000;
const GIVES_UP_AT_AGE_MS = 30 * 24 * 60 * 60_000;
const SPREAD = 0.1;

const LOOK_EVERY_MS = 1_000;
const LOG_EVERY_MS = 60_000;

/** A service that asks for a longer pause is asked again after this. */
const LONGEST_RETRY_AFTER_MS = 60 * 60_000;

export interface ReconcilerDeps {
  store: Pick<ShopStore, 'claimDue' | 'planAsk'>;
  confirms: ConfirmQueue;
  service: Pick<ServiceClient, 'circuit'>;
  metrics: Pick<Metrics, 'lastCall'>;
  clock: Clock;
  log: Log;
}

/**
 * Returns the pause before a payment is asked about again: 5, 10, 20, 40 s, then 60 s until it is 45
 * minutes old, then twice the last up to 6 h.
 */
export function nextPauseMs(ageMs: number, lastPauseMs: number): number {
  if (ageMs >= STEADY_UNTIL_AGE_MS)
    return Math.min(Math.max(lastPauseMs, STEADY_PAUSE_MS) * 2, LONGEST_PAUSE_MS);
  return lastPauseMs * 2 <= DOUBLES_UP_TO_MS ? lastPauseMs * 2 : STEADY_PAUSE_MS;
}

/**
 * Asks about each undecided payment when it is due, until the returned function is called. A claim
 * holds for a minute at most: a longer pause is written down only once the service has answered, so
 * that no payment waits for hours because the service, the database or this process failed.
 */
export function startReconciler(deps: ReconcilerDeps): () => void {
  const { store, confirms, service, metrics, clock, log } = deps;
  const mayLog = buildThrottle(clock, LOG_EVERY_MS);

  return repeat(clock, LOOK_EVERY_MS, async () => {
    try {
      const limit = Math.min(mayAsk(), confirms.roomForDue);
      if (limit === 0) return;
      for (const due of await store.claimDue(clock.now(), limit, planClaim)) {
        if (due.checkAt === NEVER)
          log.info(
            { reference: due.reference },
            'payment is asked about no more: it is older than 30 days',
          );
        else
          confirms.addDue(due.reference, (error) =>
            error ? planAfterFailure(due, error) : planAfterAnswer(due),
          );
      }
    } catch (err) {
      if (mayLog('due')) log.error({ err }, 'reconciler could not read what is due');
    }
  });

  function mayAsk(): number {
    if (service.circuit === 'open') return 0;
    const isWell = service.circuit === 'closed' && metrics.lastCall !== 'token-refused';
    return isWell ? Number.POSITIVE_INFINITY : 1;
  }

  async function planAfterAnswer({ reference, ageMs, ...due }: DuePayment): Promise<void> {
    if (ageMs < STEADY_UNTIL_AGE_MS) return;
    const pauseMs = nextPauseMs(ageMs, due.pauseMs);
    const checkAt = clock.now() + spread(pauseMs);
    await store.planAsk(reference, { claimedUntil: due.checkAt, checkAt, pauseMs });
  }

  /**
   * The claim ends soon by itself, unless the service named a later time (T103). A payment of 30 days
   * without a readable answer is not given up, and asked about seldom.
   */
  async function planAfterFailure(
    due: DuePayment,
    { code, retryAfterSeconds = 0 }: ServiceCallError,
  ): Promise<void> {
    const { reference, checkAt, ageMs } = due;
    const isSeldomAsked =
      ageMs >= GIVES_UP_AT_AGE_MS && (code === 'garbled' || code === 'reference_unusable');
    const pauseMs = isSeldomAsked ? LONGEST_RETRY_AFTER_MS : retryAfterSeconds * 1_000;
    const later = clock.now() + Math.min(pauseMs, LONGEST_RETRY_AFTER_MS);
    if (later > checkAt) await store.planAsk(reference, { claimedUntil: checkAt, checkAt: later });
  }
}

/**
 * Plans what a claim writes down; undefined gives the payment up. Only an answer makes a pause of
 * more than a minute, so nothing is given up before the service has answered.
 */
function planClaim(
  ageMs: number,
  lastPauseMs: number,
): { claimMs: number; pauseMs: number } | undefined {
  if (ageMs >= GIVES_UP_AT_AGE_MS && lastPauseMs > STEADY_PAUSE_MS) return undefined;
  if (ageMs >= STEADY_UNTIL_AGE_MS)
    return { claimMs: spread(STEADY_PAUSE_MS), pauseMs: lastPauseMs };
  const pauseMs = nextPauseMs(ageMs, lastPauseMs);
  return { claimMs: spread(pauseMs), pauseMs };
}

function spread(pauseMs: number): number {
  return Math.round(pauseMs * (1 + SPREAD * (2 * Math.random() - 1)));
}
