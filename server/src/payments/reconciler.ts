import { NEVER } from '../database/schema.ts';
import { PaymentsError } from '../errors.ts';
import { buildFailureLog } from '../observe/failure-log.ts';
import { pauseUntil, repeat, type Stop } from '../support/clock.ts';
import type { Confirm } from './confirm.ts';
import type { ConfirmQueue } from './confirm-queue.ts';
import { isOver, type Payment } from './payment.ts';
import type { DuePayment, PollPlan } from './poll-plan.ts';
import type { SharedParts } from './shared-parts.ts';

export const FIRST_PAUSE_MS = 5_000;

const DOUBLES_UP_TO_MS = 40_000;
const STEADY_PAUSE_MS = 60_000;
const STEADY_UNTIL_AGE_MS = 45 * 60_000;
const LONGEST_PAUSE_MS = 6 * 60 * 60_000;
/** A payment is polled for this long. */
export const GIVES_UP_AT_AGE_MS = 30 * 24 * 60 * 60_000;
const SPREAD = 0.1;

const LOOK_EVERY_MS = 1_000;

/** The limit of payments in flight or queued, and of those claimed each second. */
const MOST_AT_ONCE = 100;

/** The longest `Retry-After` that is honoured. */
const LONGEST_RETRY_AFTER_MS = 60 * 60_000;

interface ReconcilerParts extends Pick<SharedParts, 'service' | 'clock' | 'log'> {
  polls: Pick<PollPlan, 'findNextDue' | 'claimDue' | 'planPoll'>;
  confirm: Confirm;
  confirms: ConfirmQueue;
}

/**
 * Polls each undecided payment when it is due. A claim lasts a minute at most. A longer pause is
 * recorded only after a response, so that no payment waits for hours because the service, the
 * database or this process failed.
 */
export class Reconciler {
  readonly #parts: ReconcilerParts;
  #polling = 0;

  constructor(parts: ReconcilerParts) {
    this.#parts = parts;
  }

  /**
   * Polls until the returned function is called. Looks when the next payment is due, which is five
   * seconds after it was written at the earliest, and every five seconds otherwise.
   */
  start(): Stop {
    const { polls, clock, log } = this.#parts;
    const failures = buildFailureLog(clock, log);
    let dueAt = clock.now();
    const pauseMs = () => pauseUntil(dueAt, clock, LOOK_EVERY_MS);
    return repeat(clock, pauseMs, async () => {
      if (!this.#mayClaim()) return;
      try {
        dueAt = await polls.findNextDue();
        if (dueAt <= clock.now()) for (const poll of await this.#claim()) void poll;
        failures.worked();
      } catch (err) {
        dueAt = clock.now();
        failures.failed('due payments not read, will retry', err);
      }
    });
  }

  /**
   * Claims once what is due and waits for the responses. After `signal` has aborted, it polls
   * no further payment. Returns how many there were.
   */
  async pass(signal: AbortSignal): Promise<number> {
    const polls = await this.#claim(signal);
    await Promise.all(polls);
    return polls.length;
  }

  async #claim(signal?: AbortSignal): Promise<Promise<void>[]> {
    const { polls, confirms, clock } = this.#parts;
    const limit = this.#mayClaim();
    if (limit === 0 || signal?.aborted) return [];
    const claimed = await polls.claimDue({ now: clock.now(), limit, plan: planClaim });
    return claimed.map((due) => {
      this.#polling += 1;
      const poll = async () => {
        if (!signal?.aborted) await this.#poll(due);
      };
      return confirms.run(due.reference, 0, poll).finally(() => (this.#polling -= 1));
    });
  }

  #mayClaim(): number {
    const { circuit, lastCall } = this.#parts.service;
    if (circuit === 'open') return 0;
    const isWell = circuit === 'closed' && lastCall !== 'token-refused';
    return Math.min(isWell ? MOST_AT_ONCE : 1, MOST_AT_ONCE - this.#polling);
  }

  /** Without a response, the claim soon ends by itself. */
  async #poll(due: DuePayment): Promise<void> {
    const { polls, confirm, clock, log } = this.#parts;
    const { reference, ageMs, checkAt: claimedUntil } = due;
    let payment: Payment | undefined;
    try {
      payment = await confirm(reference, 'due');
    } catch (error) {
      if (!(error instanceof PaymentsError)) throw error;
      const checkAt = clock.now() + pauseAfterFailureMs(ageMs, error);
      if (checkAt > claimedUntil) await polls.planPoll(reference, { claimedUntil, checkAt });
      return;
    }
    if (ageMs < STEADY_UNTIL_AGE_MS || !payment || isOver(payment)) return;
    const pauseMs = nextPauseMs(ageMs, due.pauseMs);
    // a webhook restarts the pauses, so a payment is verified once more before it is given up
    const isGivenUp = ageMs >= GIVES_UP_AT_AGE_MS && due.pauseMs > STEADY_PAUSE_MS;
    const checkAt = isGivenUp ? NEVER : clock.now() + spread(pauseMs);
    await polls.planPoll(reference, { claimedUntil, checkAt, pauseMs });
    if (isGivenUp) log.info({ reference }, 'payment older than 30 days; no longer polled');
  }
}

/**
 * Returns the pause before the next poll: 5, 10, 20, 40 s, then 60 s until the payment is 45
 * minutes old, then twice the last up to 6 h.
 */
export function nextPauseMs(ageMs: number, lastPauseMs: number): number {
  if (ageMs >= STEADY_UNTIL_AGE_MS)
    return Math.min(Math.max(lastPauseMs, STEADY_PAUSE_MS) * 2, LONGEST_PAUSE_MS);
  return lastPauseMs * 2 <= DOUBLES_UP_TO_MS ? lastPauseMs * 2 : STEADY_PAUSE_MS;
}

/**
 * Returns the pause that the service requested (T103). A payment of 30 days without a readable
 * response is polled rarely, and not given up.
 */
function pauseAfterFailureMs(
  ageMs: number,
  { reason, retryAfterSeconds = 0 }: PaymentsError,
): number {
  const isUnreadable = reason === 'garbled' || reason === 'reference_unusable';
  if (isUnreadable && ageMs >= GIVES_UP_AT_AGE_MS) return LONGEST_RETRY_AFTER_MS;
  if (reason !== 'told_to_wait') return 0;
  return Math.min(retryAfterSeconds * 1_000, LONGEST_RETRY_AFTER_MS);
}

/** A claim does not lengthen the pause of an old payment; only a response does. */
function planClaim({ ageMs, lastPauseMs }: { ageMs: number; lastPauseMs: number }): {
  claimMs: number;
  pauseMs: number;
} {
  if (ageMs >= STEADY_UNTIL_AGE_MS)
    return { claimMs: spread(STEADY_PAUSE_MS), pauseMs: lastPauseMs };
  const pauseMs = nextPauseMs(ageMs, lastPauseMs);
  return { claimMs: spread(pauseMs), pauseMs };
}

function spread(pauseMs: number): number {
  return Math.round(pauseMs * (1 + SPREAD * (2 * Math.random() - 1)));
}
