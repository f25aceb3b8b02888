import type { ATTEMPT_STATUSES, SESSION_STATUSES } from '@service-pay/contract/checkout-api';
import type { CollectionStatus } from '@service-pay/contract/collection';

import { ATTEMPTS_PER_SESSION } from '../test-numbers/outcomes.ts';

export type AttemptStatus = (typeof ATTEMPT_STATUSES)[number];
export type SessionStatus = (typeof SESSION_STATUSES)[number];

export type RunningStatus = Exclude<AttemptStatus, 'declined' | 'successful'>;

export interface AttemptLife {
  readonly id: string;
  readonly status: AttemptStatus;
  readonly reasonForFailure: string | null;
}

/**
 * The state of one session and its collection. The functions below make the next one; they return
 * the same object if they come too late. `isOverdue` means that the session ran out while an
 * attempt was running (T43).
 */
export interface Life {
  readonly session: SessionStatus;
  readonly isOverdue: boolean;
  readonly attempts: readonly AttemptLife[];
}

export const NEW_LIFE: Life = { session: 'open', isOverdue: false, attempts: [] };

export function findRunning(life: Life): AttemptLife | undefined {
  const last = life.attempts.at(-1);
  return last && last.status !== 'declined' && last.status !== 'successful' ? last : undefined;
}

/**
 * Returns whether a new attempt may replace the running one: it waits only for a one-time code, and
 * an attempt is left (D25).
 */
export function isReplaceable(life: Life): boolean {
  return findRunning(life)?.status === 'otp-required' && !life.isOverdue && attemptsLeft(life) > 0;
}

export function attemptsLeft(life: Life): number {
  return life.session === 'open' ? ATTEMPTS_PER_SESSION - life.attempts.length : 0;
}

/**
 * The collection's status (D30, D31): undefined before the first attempt (D35), `pending` between
 * attempts.
 */
export function collectionStatus(life: Life): CollectionStatus | undefined {
  if (!life.attempts.length) return undefined;
  if (life.session !== 'open') return life.session;
  const running = findRunning(life);
  return running ? (running.status as RunningStatus) : 'pending';
}

/** The last decline's reason if the session failed, otherwise null. */
export function reasonForFailure(life: Life): string | null {
  return life.session === 'failed' ? (life.attempts.at(-1)?.reasonForFailure ?? null) : null;
}

/** Begins an attempt, unless its session is over, knows it, or has one that is running. */
export function begin(life: Life, id: string, status: RunningStatus): Life {
  const isKnown = life.attempts.some((attempt) => attempt.id === id);
  if (isKnown || life.session !== 'open' || findRunning(life)) return life;
  return { ...life, attempts: [...life.attempts, { id, status, reasonForFailure: null }] };
}

export function moveOn(life: Life, id: string, status: RunningStatus): Life {
  return findRunning(life)?.id === id
    ? withLast(life, { id, status, reasonForFailure: null })
    : life;
}

export function succeed(life: Life, id: string): Life {
  if (findRunning(life)?.id !== id) return life;
  return {
    ...withLast(life, { id, status: 'successful', reasonForFailure: null }),
    session: 'successful',
  };
}

/** Declines the running attempt. The session stays open unless no attempt or no time is left. */
export function decline(life: Life, id: string, reason: string): Life {
  if (findRunning(life)?.id !== id) return life;
  const declined = withLast(life, { id, status: 'declined', reasonForFailure: reason });
  return life.isOverdue || life.attempts.length >= ATTEMPTS_PER_SESSION
    ? { ...declined, session: 'failed' }
    : declined;
}

/** Ends the session's time. A running attempt finishes first, and its result counts. */
export function expire(life: Life): Life {
  if (life.session !== 'open' || life.isOverdue) return life;
  return findRunning(life) ? { ...life, isOverdue: true } : { ...life, session: 'failed' };
}

function withLast(life: Life, attempt: AttemptLife): Life {
  return { ...life, attempts: [...life.attempts.slice(0, -1), attempt] };
}
