import { type Attempt, type Session, WITHDRAWN_REASON } from '@service-pay/contract/checkout-api';
import type { MoneyState } from '@service-pay/contract/frame-messages';
import { CHANNELS } from '@service-pay/contract/payment-request';
import { isFinalStatus } from '@service-pay/contract/status';
import type { FieldProblems } from './call-failure.ts';
import type { CheckoutErrorCode } from './client.ts';

/** The data a form needs. A session is one; a preview stands in until there is a session. */
export type Payable = Pick<
  Session,
  | 'merchantName'
  | 'merchant'
  | 'label'
  | 'amount'
  | 'fee'
  | 'total'
  | 'currency'
  | 'bearer'
  | 'isTest'
  | 'channels'
  | 'networks'
  | 'now'
>;

/**
 * Everything a frame knows about its payment. The functions here alone derive from it what is shown
 * and what the page is told.
 */
export interface Known {
  readonly session?: Session | undefined;
  /** The form's data before there is a session. */
  readonly preview?: Payable | undefined;
  /** It was paid before this visit (D18). */
  readonly wasPaid?: boolean;
  /**
   * This tab has opened this payment before, so something may be out although no session is known
   * yet.
   */
  readonly isReturning?: boolean;
  /**
   * This tab left money that may move: only a session of the service says otherwise, a refusal does
   * not (D13, D19).
   */
  readonly isUnconfirmed?: boolean;
  readonly refusal?:
    | { readonly code: CheckoutErrorCode; readonly paths: readonly string[] }
    | undefined;
  /** The attempt without an answer; `isUnsure` once the connection was lost (D14). */
  readonly sending?: { readonly id: string; readonly isUnsure: boolean } | undefined;
  /** An attempt waits for the session. Nothing of it has been sent. */
  readonly isHeld?: boolean;
  readonly isSendingCode?: boolean;
  readonly isCut?: boolean;
  /** The start of this wait, by the service's clock. */
  readonly waitingSince?: string | undefined;
  /** The service's time in milliseconds, advanced by the frame's own clock while nobody answers. */
  readonly time?: number | undefined;
  /** The last press sent nothing: there is no network, or nobody answered before it. */
  readonly unsent?: 'offline' | 'cut' | undefined;
  /** The attempt whose prompt is being withdrawn (D47). */
  readonly withdrawing?: string | undefined;
  /** The screen that stays while another prompt or code is sent to the same phone. */
  readonly repeating?: 'prompt' | 'code' | undefined;
  /** The attempt whose prompt the service refused to withdraw. */
  readonly keptOut?: string | undefined;
  /** The attempt whose code the customer does not want to enter: the form is shown instead. */
  readonly unwanted?: string | undefined;
  readonly leaving?: 'out' | 'typed' | undefined;
  readonly problems?: FieldProblems;
  /** The last attempt never reached the service, so nothing was charged. */
  readonly isNotArrived?: boolean;
}

/** The frame's content. `confirming` also stands for every unknown status: not known yet (D32). */
export type Screen =
  | 'loading'
  | 'form'
  | 'confirming'
  | 'unsure'
  | 'challenge'
  | 'code'
  | 'prompt'
  | 'elsewhere'
  | 'success'
  | 'over'
  | 'refused'
  | 'unreachable';

const SHORT_TIME_MS = 120_000;

export function screenOf(known: Known): Screen {
  const { session, refusal, sending } = known;
  if (session?.status === 'successful') return 'success';
  if (refusal) return screenOfRefusal(refusal.code, session);
  if (!session) return known.preview ? 'form' : 'loading';
  if (known.repeating && session.status === 'open') return known.repeating;
  if (sending) return sending.isUnsure ? 'unsure' : 'form';
  if (session.status === 'failed') return 'over';
  if (session.status !== 'open') return 'confirming';
  return session.attempt ? screenOfAttempt(session.attempt, known) : formOf(session);
}

/**
 * Returns what the page is told of the money: `paid` only by the service's word; `unknown` from
 * before an attempt is sent until its end is known, and when a visit resumes; undefined if this
 * frame cannot say, so that the page keeps what it heard before.
 */
export function moneyOf(known: Known): MoneyState | undefined {
  if (known.session?.status === 'successful') return 'paid';
  if (isOut(known)) return 'unknown';
  if (known.session || (isOver(known) && !known.isUnconfirmed)) return 'none';
  return known.isReturning || known.isUnconfirmed ? 'unknown' : undefined;
}

export function isSending({ sending, isHeld }: Known): boolean {
  return sending !== undefined || Boolean(isHeld);
}

/**
 * Checks if leaving now would leave something behind whose end is unknown (D15). Of all refusals,
 * only that of the reference says that nothing is.
 */
export function isOut(known: Known): boolean {
  const { session, sending } = known;
  if (sending) return true;
  if (!session || isOver(known)) return false;
  if (session.status !== 'open') return !isFinalStatus(session.status);
  return session.attempt !== null && session.attempt.status !== 'declined';
}

export type Question = 'typed' | 'prompt' | 'withdrawal' | 'challenge' | 'code' | 'unknown';

/** Returns the question to ask before the customer leaves, by what is still open (D15). */
export function questionOf(known: Known): Question | undefined {
  const screen = screenOf(known);
  if (known.leaving === 'typed')
    return screen === 'form' && !isOut(known) && !isSending(known) ? 'typed' : undefined;
  if (!known.leaving || !isOut(known)) return undefined;
  if (screen === 'prompt' && known.withdrawing) return 'withdrawal';
  if (screen === 'form' && known.unwanted === known.session?.attempt?.id && !known.sending)
    return 'code';
  return screen === 'prompt' || screen === 'challenge' || screen === 'code' ? screen : 'unknown';
}

export function isAskedToStay(known: Known): boolean {
  return questionOf(known) !== undefined;
}

export function payableOf({ session, preview }: Known): Payable | undefined {
  return session ?? preview;
}

/**
 * Returns the channels that the service offers and this frame knows, card first; mobile money only
 * with a network.
 */
export function channelsOf({
  channels,
  networks,
}: Pick<Payable, 'channels' | 'networks'>): string[] {
  return CHANNELS.filter(
    (channel) => channels.includes(channel) && (channel === 'card' || networks.length > 0),
  );
}

export function isFinal({ session, refusal, sending }: Known): boolean {
  return !sending && (refusal !== undefined || isFinalStatus(session?.status));
}

export function isOwnWithdrawal({ isYours, reasonForFailure }: Attempt): boolean {
  return isYours && reasonForFailure === WITHDRAWN_REASON;
}

/** Checks if this customer's prompt is out and the network cannot withdraw it (D47). */
export function isStuck(known: Known): boolean {
  const { session, keptOut } = known;
  const { id, isYours, withdrawable } = session?.attempt ?? {};
  const isKeptOut = withdrawable === false || (id !== undefined && keptOut === id);
  return screenOf(known) === 'prompt' && isYours === true && isKeptOut;
}

/** Checks if the time to pay is nearly over (WCAG 2.2, 2.2.1). */
export function isTimeShort(known: Known): boolean {
  const { session } = known;
  return (
    Boolean(session) &&
    screenOf(known) === 'form' &&
    Date.parse(session!.expiresAt) - timeOf(known) < SHORT_TIME_MS
  );
}

/** Checks if the time to begin an attempt is over. One that has begun may still end. */
export function isOverdue(known: Known): boolean {
  return timeOf(known) >= Date.parse(known.session!.expiresAt);
}

/** Returns the service's time in milliseconds, advanced by the frame's own clock. */
export function timeOf({ session, time }: Known): number {
  return time ?? (session ? Date.parse(session.now) : 0);
}

function screenOfAttempt(attempt: Attempt, known: Known): Screen {
  const { session, unwanted } = known;
  switch (attempt.status) {
    case 'declined':
      return formOf(session!);
    case 'otp-required':
      return attempt.isYours && (unwanted !== attempt.id || isOverdue(known))
        ? 'code'
        : formOf(session!);
    case '3ds-auth-required':
      return attempt.isYours && attempt.challengeUrl ? 'challenge' : 'elsewhere';
    case 'pay-offline':
      return 'prompt';
    default:
      return attempt.isYours ? 'confirming' : 'elsewhere';
  }
}

function formOf(session: Session): Screen {
  return channelsOf(session).length ? 'form' : 'refused';
}

function screenOfRefusal(code: CheckoutErrorCode, session: Session | undefined): Screen {
  if (code === 'not_known') return 'unreachable';
  return code === 'reference_used' && session ? 'over' : 'refused';
}

function isOver({ refusal }: Known): boolean {
  return refusal?.code === 'reference_used';
}
