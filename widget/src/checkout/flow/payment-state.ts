import { type Attempt, type Session, WITHDRAWN_REASON } from '@service-pay/contract/checkout-api';
import type { MoneyState } from '@service-pay/contract/frame-messages';
import { CHANNELS } from '@service-pay/contract/payment-request';
import { isFinalStatus } from '@service-pay/contract/status';
import type { FieldProblems } from '../parts/field.ts';
import type { CheckoutErrorCode } from './client.ts';

/**
 * What a form needs to know of what it takes. A session is one; a preview stands in until there is
 * a session.
 */
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
 * Everything a frame knows about its payment. What is seen and what the page is told follow from
 * it, by the functions here alone.
 */
export interface Known {
  /** The session as the service last told it. */
  readonly session?: Session | undefined;
  /** What is sure of the payment before there is a session. */
  readonly preview?: Payable | undefined;
  /** It was paid before this visit did anything (D18). */
  readonly wasPaid?: boolean;
  /** This tab has been here before, so something may be out although no session is known yet. */
  readonly isReturning?: boolean;
  /**
   * This tab left the payment with money that may move: only a session of the service says
   * otherwise, no refusal does (D13, D19).
   */
  readonly isUnconfirmed?: boolean;
  /** Why there is no session, or no more. */
  readonly refusal?:
    | { readonly code: CheckoutErrorCode; readonly paths: readonly string[] }
    | undefined;
  /**
   * The attempt that was sent and whose answer is not known; `isUnsure` once the connection was
   * lost over it (D14).
   */
  readonly sending?: { readonly id: string; readonly isUnsure: boolean } | undefined;
  /** An attempt waits for the session to be there. Nothing of it has been sent. */
  readonly isHeld?: boolean;
  /** A one-time code is on its way. */
  readonly isSendingCode?: boolean;
  /** The last questions after the state got no answer. */
  readonly isCut?: boolean;
  /** When this wait began, by the service's clock. */
  readonly waitingSince?: string | undefined;
  /**
   * The service's time in milliseconds: as the session told it, and counted on from there by the
   * frame's own clock, so that it goes on while nobody answers.
   */
  readonly time?: number | undefined;
  /** Pay was pressed without a network: nothing has left this device. */
  readonly isOffline?: boolean;
  /** The attempt whose prompt is being taken back (D47). */
  readonly withdrawing?: string | undefined;
  /** The attempt whose prompt the service would not take back. */
  readonly keptOut?: string | undefined;
  /** The customer wants to go and is being asked whether to: for what is out, or what is typed. */
  readonly leaving?: 'out' | 'typed' | undefined;
  /** What the service, or the form itself, could not take. */
  readonly problems?: FieldProblems;
  /** The last attempt never reached the service, so nothing was charged. */
  readonly isNotArrived?: boolean;
}

/**
 * What fills the frame. `confirming` also stands for every word of tomorrow: not known yet (D32).
 */
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

/** How little time to pay must be left for the customer to hear of it. */
const SHORT_TIME_MS = 120_000;

/** Exactly one screen for anything that may be known. */
export function screenOf(known: Known): Screen {
  const { session, refusal, sending } = known;
  if (session?.status === 'successful') return 'success';
  if (refusal) return screenOfRefusal(refusal.code, session);
  if (!session) return known.preview ? 'form' : 'loading';
  if (sending) return sending.isUnsure ? 'unsure' : 'form';
  if (session.status === 'failed') return 'over';
  if (session.status !== 'open') return 'confirming';
  return session.attempt ? screenOfAttempt(session.attempt, session) : formOf(session);
}

/**
 * What the page is told of the money. `paid` only by the service's word; `unknown` from before an
 * attempt is sent until its end is known, also when a visit is resumed and nobody could say yet
 * what is out. Undefined where this frame cannot say: the page goes on with what it heard before.
 */
export function moneyOf(known: Known): MoneyState | undefined {
  if (known.session?.status === 'successful') return 'paid';
  if (isOut(known)) return 'unknown';
  if (known.session || (isOver(known) && !known.isUnconfirmed)) return 'none';
  return known.isReturning || known.isUnconfirmed ? 'unknown' : undefined;
}

/** Whether an attempt is on its way, or will be as soon as it can. */
export function isSending({ sending, isHeld }: Known): boolean {
  return sending !== undefined || Boolean(isHeld);
}

/**
 * Whether leaving now would leave something behind whose end is unknown (D15). Of all refusals only
 * that of the reference says that nothing is.
 */
export function isOut(known: Known): boolean {
  const { session, sending } = known;
  if (sending) return true;
  if (!session || isOver(known)) return false;
  if (session.status !== 'open') return !isFinalStatus(session.status);
  return session.attempt !== null && session.attempt.status !== 'declined';
}

/** What the question before leaving is about. */
export type Question = 'typed' | 'prompt' | 'challenge' | 'code' | 'unknown';

/** The question that stands before a customer leaves, by what is still open (D15). */
export function questionOf(known: Known): Question | undefined {
  const screen = screenOf(known);
  if (known.leaving === 'typed')
    return screen === 'form' && !isOut(known) && !isSending(known) ? 'typed' : undefined;
  if (!known.leaving || !isOut(known)) return undefined;
  return screen === 'prompt' || screen === 'challenge' || screen === 'code' ? screen : 'unknown';
}

/** Whether the question stands that is asked before a customer leaves. */
export function isAskedToStay(known: Known): boolean {
  return questionOf(known) !== undefined;
}

/** What is to pay, as the service says it or, before that, as far as it is sure. */
export function payableOf({ session, preview }: Known): Payable | undefined {
  return session ?? preview;
}

/**
 * The channels a customer may choose from: those the service offers and this frame knows, mobile
 * money only with a network. Card first.
 */
export function channelsOf({
  channels,
  networks,
}: Pick<Payable, 'channels' | 'networks'>): string[] {
  return CHANNELS.filter(
    (channel) => channels.includes(channel) && (channel === 'card' || networks.length > 0),
  );
}

/** Whether nothing can change any more, so that nobody needs to ask. */
export function isFinal({ session, refusal, sending }: Known): boolean {
  return !sending && (refusal !== undefined || isFinalStatus(session?.status));
}

/** Whether an attempt ended because this customer took its prompt back (D47). */
export function isOwnWithdrawal({ isYours, reasonForFailure }: Attempt): boolean {
  return isYours && reasonForFailure === WITHDRAWN_REASON;
}

/** Whether this customer's prompt is out and the network cannot take it back (D47). */
export function isStuck(known: Known): boolean {
  const { session, keptOut } = known;
  const { id, isYours, withdrawable } = session?.attempt ?? {};
  const isKeptOut = withdrawable === false || (id !== undefined && keptOut === id);
  return screenOf(known) === 'prompt' && isYours === true && isKeptOut;
}

/**
 * Whether the time to pay runs out so soon that the customer should hear of it (WCAG 2.2, 2.2.1).
 */
export function isTimeShort(known: Known): boolean {
  const { session } = known;
  return (
    Boolean(session) &&
    screenOf(known) === 'form' &&
    Date.parse(session!.expiresAt) - timeOf(known) < SHORT_TIME_MS
  );
}

/** The service's time in milliseconds, counted on by the frame's own clock. */
export function timeOf({ session, time }: Known): number {
  return time ?? (session ? Date.parse(session.now) : 0);
}

function screenOfAttempt(attempt: Attempt, session: Session): Screen {
  switch (attempt.status) {
    case 'declined':
      return formOf(session);
    case 'otp-required':
      return attempt.isYours ? 'code' : formOf(session);
    case '3ds-auth-required':
      return attempt.isYours && attempt.challengeUrl ? 'challenge' : 'elsewhere';
    case 'pay-offline':
      return 'prompt';
    default:
      return attempt.isYours ? 'confirming' : 'elsewhere';
  }
}

/** The form, unless the service offers no way to pay that it could take. */
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
