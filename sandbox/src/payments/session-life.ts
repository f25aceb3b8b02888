import type { ATTEMPT_STATUSES, SESSION_STATUSES } from '@service-pay/contract/checkout-api';
import type { CollectionStatus } from '@service-pay/contract/collection';

import { ATTEMPTS_PER_SESSION } from './outcomes.ts';

export type AttemptStatus = (typeof ATTEMPT_STATUSES)[number];
export type SessionStatus = (typeof SESSION_STATUSES)[number];

/** Where a running attempt may stand. */
export type RunningStatus = Exclude<AttemptStatus, 'declined' | 'successful'>;

/** One try, as far as states go. */
export interface AttemptLife {
  readonly id: string;
  readonly status: AttemptStatus;
  readonly reasonForFailure: string | null;
}

/**
 * The life of one session and its collection, drawn in states alone. Only the moves below make a
 * new one; a move that comes too late gives back the same object. `isOverdue` says that the session
 * ran out while an attempt was running (T43).
 */
export interface Life {
  readonly session: SessionStatus;
  readonly isOverdue: boolean;
  readonly attempts: readonly AttemptLife[];
}

/** Why an attempt could not begin. */
export type BeginRefusal = 'session-over' | 'attempt-running' | 'attempt-known';

/** A session nobody has tried to pay in. */
export const NEW_LIFE: Life = { session: 'open', isOverdue: false, attempts: [] };

/** The attempt that is running, if one is: there is never more than one. */
export function findRunning(life: Life): AttemptLife | undefined {
  const last = life.attempts.at(-1);
  return last && last.status !== 'declined' && last.status !== 'successful' ? last : undefined;
}

/**
 * Tells whether another attempt may take the running one's place: it only waits for a one-time
 * code, and there is another to begin (D25).
 */
export function isReplaceable(life: Life): boolean {
  return findRunning(life)?.status === 'otp-required' && !life.isOverdue && attemptsLeft(life) > 0;
}

/** How many attempts a session has left (D37). */
export function attemptsLeft(life: Life): number {
  return life.session === 'open' ? ATTEMPTS_PER_SESSION - life.attempts.length : 0;
}

/**
 * What the collection says (D30, D31): undefined before the first attempt (D35), `pending` between
 * attempts.
 */
export function collectionStatus(life: Life): CollectionStatus | undefined {
  if (!life.attempts.length) return undefined;
  if (life.session !== 'open') return life.session;
  const running = findRunning(life);
  return running ? (running.status as RunningStatus) : 'pending';
}

/** The reason a failed session gives: the last decline's. Null for any other. */
export function reasonForFailure(life: Life): string | null {
  return life.session === 'failed' ? (life.attempts.at(-1)?.reasonForFailure ?? null) : null;
}

/** Begins an attempt, or says why not. */
export function begin(life: Life, id: string, status: RunningStatus): Life | BeginRefusal {
  if (life.attempts.some((attempt) => attempt.id === id)) return 'attempt-known';
  if (life.session !== 'open') return 'session-over';
  if (findRunning(life)) return 'attempt-running';
  return { ...life, attempts: [...life.attempts, { id, status, reasonForFailure: null }] };
}

/** Moves a running attempt on to its next wait. */
export function moveOn(life: Life, id: string, status: RunningStatus): Life {
  return findRunning(life)?.id === id
    ? withLast(life, { id, status, reasonForFailure: null })
    : life;
}

/** The running attempt has taken the money: session and collection are successful, for good. */
export function succeed(life: Life, id: string): Life {
  if (findRunning(life)?.id !== id) return life;
  return {
    ...withLast(life, { id, status: 'successful', reasonForFailure: null }),
    session: 'successful',
  };
}

/**
 * The running attempt was declined. The session stays open unless it is out of attempts or out of
 * time.
 */
export function decline(life: Life, id: string, reason: string): Life {
  if (findRunning(life)?.id !== id) return life;
  const declined = withLast(life, { id, status: 'declined', reasonForFailure: reason });
  return life.isOverdue || life.attempts.length >= ATTEMPTS_PER_SESSION
    ? { ...declined, session: 'failed' }
    : declined;
}

/** The session's time is over. A running attempt is finished first, and its result counts. */
export function expire(life: Life): Life {
  if (life.session !== 'open' || life.isOverdue) return life;
  return findRunning(life) ? { ...life, isOverdue: true } : { ...life, session: 'failed' };
}

function withLast(life: Life, attempt: AttemptLife): Life {
  return { ...life, attempts: [...life.attempts.slice(0, -1), attempt] };
}
