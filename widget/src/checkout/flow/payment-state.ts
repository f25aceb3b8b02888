import { type Attempt, type Session, WITHDRAWN_REASON } from '@service-pay/contract/checkout-api';
import type { MoneyState } from '@service-pay/contract/frame-messages';
import { CHANNELS } from '@service-pay/contract/payment-request';
import type { Channel } from '@service-pay/contract/payment-request-schema';
import { isFinalStatus } from '@service-pay/contract/status';
import type { FieldProblems } from './call-failure.ts';
import type { CheckoutErrorCode } from './client.ts';
import type { NewAttempt } from './new-attempt.ts';

/** The data a form needs. A session is one; a preview replaces it until there is one. */
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

export interface Rejection {
  readonly code: CheckoutErrorCode;
  readonly paths: readonly string[];
}

/** The service's last word, and what this frame knows without it. */
export type Service = {
  /**
   * `returning`: this tab has opened this payment before, so something may be in flight.
   * `unconfirmed`: its money may still move. A session can say otherwise, a rejection cannot (D13,
   * D19).
   */
  readonly visit: 'first' | 'returning' | 'unconfirmed';
  readonly rejection?: Rejection | undefined;
  /** It was paid before this visit (D18). */
  readonly wasPaid?: boolean;
  /** The form's data until there is a session. */
  readonly preview?: Payable | undefined;
} & (
  | { readonly session?: undefined }
  | {
      readonly session: Session;
      /**
       * The service's time in milliseconds, advanced by the frame's own clock between responses.
       */
      readonly time: number;
      /** The start of this wait, by the service's clock. */
      readonly waitingSince: number;
    }
);

export interface Wire {
  /** The service does not respond. */
  readonly isCut: boolean;
  /** The last press sent nothing: there is no network, or the service did not respond before. */
  readonly unsent?: 'offline' | 'cut' | undefined;
}

/**
 * A call without a response yet: an attempt that waits for the session, of which nothing has been
 * sent; an attempt in flight, `isUnsure` once the connection was lost (D14); the code of attempt
 * `id`.
 */
export type Sending =
  | { readonly is: 'held'; readonly attempt: NewAttempt }
  | { readonly is: 'attempt'; readonly id: string; readonly isUnsure: boolean }
  | { readonly is: 'code'; readonly id: string };

/**
 * The customer's choice about a prompt or a code, other than to enter it. Where it `repeats` one,
 * its screen stays while another is sent to the same phone.
 */
export type Choice =
  /** The prompt is withdrawn (D47). */
  | { readonly is: 'withdrawing'; readonly id: string; readonly repeats?: 'prompt' | undefined }
  | { readonly is: 'repeating'; readonly repeats: 'prompt' | 'code' }
  /** The prompt or code was sent again. */
  | { readonly is: 'repeated'; readonly id: string; readonly repeats?: undefined }
  /** The service did not withdraw the prompt. */
  | { readonly is: 'not-withdrawn'; readonly id: string; readonly repeats?: undefined }
  /** The form is shown instead of the code. */
  | { readonly is: 'another-way'; readonly id: string; readonly repeats?: undefined };

/**
 * Everything a frame knows about its payment. The functions here alone derive from it what is shown
 * and what the page learns.
 */
export interface Known {
  readonly service: Service;
  readonly wire: Wire;
  readonly sending?: Sending | undefined;
  /** The call has been without a response for some seconds. */
  readonly isSlow?: boolean;
  /**
   * The browser says that there is no network: the only case in which the connection is to blame.
   */
  readonly isOffline?: boolean;
  readonly action?: Choice | undefined;
  /** Why the last press had no effect. Kept after its call has ended. */
  readonly problems: FieldProblems;
  readonly leaving?: 'in-flight' | 'typed' | undefined;
}

export const NOTHING_KNOWN: Known = {
  service: { visit: 'first' },
  wire: { isCut: false },
  problems: {},
};

/** The last attempt never reached the service, so nothing was charged. */
export const NOT_ARRIVED: FieldProblems = { form: { code: 'not-arrived' } };

/** The frame's content. `confirming` also covers every unknown status: not known yet (D32). */
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
  | 'rejected'
  | 'unreachable';

const SHORT_TIME_MS = 120_000;

export function screenOf(known: Known): Screen {
  const { session, rejection } = known.service;
  if (session?.status === 'successful') return 'success';
  if (rejection) return screenOfRejection(rejection.code, session);
  if (!session) return payableOf(known) ? 'form' : 'loading';
  const { repeats } = known.action ?? {};
  if (repeats && session.status === 'open') return repeats;
  const sent = sentOf(known);
  if (sent) return sent.isUnsure ? 'unsure' : 'form';
  if (session.status === 'failed') return 'over';
  if (session.status !== 'open') return 'confirming';
  return screenOfOpen(session, isActing(known, 'another-way') && !isOverdue(known));
}

/** Returns the screen of an open session. `isUnwanted`: the customer went
 * back to the form instead of typing the code. */
export function screenOfOpen(session: Session, isUnwanted = false): Screen {
  const { attempt } = session;
  if (!attempt || attempt.status === 'declined') return formOf(session);
  switch (attempt.status) {
    case 'otp-required':
      return attempt.isYours && !isUnwanted ? 'code' : formOf(session);
    case '3ds-auth-required':
      return attempt.isYours && attempt.challengeUrl ? 'challenge' : 'elsewhere';
    case 'pay-offline':
      return 'prompt';
    default:
      return attempt.isYours ? 'confirming' : 'elsewhere';
  }
}

/**
 * Returns the state of the money to report to the page: `paid` only by the service's word;
 * `unknown` from before an attempt is sent until its end is known, and when a visit resumes;
 * undefined if this frame cannot say, so that the page keeps what it received before.
 */
export function moneyOf(known: Known): MoneyState | undefined {
  const { session, visit } = known.service;
  if (session?.status === 'successful') return 'paid';
  if (isInFlight(known)) return 'unknown';
  if (session || (isOver(known) && visit !== 'unconfirmed')) return 'none';
  return visit === 'first' ? undefined : 'unknown';
}

/** Returns the attempt in flight. */
export function sentOf({ sending }: Known): Extract<Sending, { is: 'attempt' }> | undefined {
  return sending?.is === 'attempt' ? sending : undefined;
}

export function isSending({ sending }: Known): boolean {
  return sending?.is === 'attempt' || sending?.is === 'held';
}

/** Checks if the customer has chosen this about the session's attempt. */
export function isActing(
  { action, service }: Known,
  is: Exclude<Choice['is'], 'repeating'>,
): boolean {
  return action?.is === is && action.id === service.session?.attempt?.id;
}

export function isNotArrived({ problems }: Known): boolean {
  return problems === NOT_ARRIVED;
}

/**
 * Checks if the customer would leave something behind whose end is unknown (D15). Of all
 * rejections, only that of the reference proves that nothing is open.
 */
export function isInFlight(known: Known): boolean {
  const { session } = known.service;
  if (sentOf(known)) return true;
  if (!session || isOver(known)) return false;
  if (session.status !== 'open') return !isFinalStatus(session.status);
  return session.attempt !== null && session.attempt.status !== 'declined';
}

export type Question = 'typed' | 'prompt' | 'withdrawal' | 'challenge' | 'code' | 'unknown';

/** Returns the question to ask before the customer leaves, by what is still open (D15). */
export function questionOf(known: Known): Question | undefined {
  const screen = screenOf(known);
  if (known.leaving === 'typed')
    return screen === 'form' && !isInFlight(known) && !isSending(known) ? 'typed' : undefined;
  if (!known.leaving || !isInFlight(known)) return undefined;
  if (screen === 'prompt' && isActing(known, 'withdrawing')) return 'withdrawal';
  if (screen === 'form' && isActing(known, 'another-way') && !sentOf(known)) return 'code';
  return screen === 'prompt' || screen === 'challenge' || screen === 'code' ? screen : 'unknown';
}

export function isAskedToStay(known: Known): boolean {
  return questionOf(known) !== undefined;
}

export function payableOf({ service }: Known): Payable | undefined {
  return service.session ?? service.preview;
}

/**
 * Returns the channels that the service offers and this frame knows, card first; mobile money only
 * with a network.
 */
export function channelsOf({
  channels,
  networks,
}: Pick<Payable, 'channels' | 'networks'>): Channel[] {
  return CHANNELS.filter(
    (channel) => channels.includes(channel) && (channel !== 'mobile-money' || networks.length > 0),
  );
}

export function isFinal(known: Known): boolean {
  const { session, rejection } = known.service;
  return !sentOf(known) && (rejection !== undefined || isFinalStatus(session?.status));
}

export function isOwnWithdrawal({ isYours, reasonForFailure }: Attempt): boolean {
  return isYours && reasonForFailure === WITHDRAWN_REASON;
}

/** Checks if the time to pay is nearly over (WCAG 2.2, 2.2.1). */
export function isTimeShort(known: Known): boolean {
  return screenOf(known) === 'form' && timeLeftMs(known) < SHORT_TIME_MS;
}

/** Checks if the time to begin an attempt is over. One that has begun may still end. */
export function isOverdue(known: Known): boolean {
  return timeLeftMs(known) <= 0;
}

function timeLeftMs({ service }: Known): number {
  return service.session ? Date.parse(service.session.expiresAt) - service.time : Infinity;
}

function formOf(session: Session): Screen {
  return channelsOf(session).length ? 'form' : 'rejected';
}

function screenOfRejection(code: CheckoutErrorCode, session: Session | undefined): Screen {
  if (code === 'not_known') return 'unreachable';
  return code === 'reference_used' && session ? 'over' : 'rejected';
}

function isOver({ service }: Known): boolean {
  return service.rejection?.code === 'reference_used';
}
