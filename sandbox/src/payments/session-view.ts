import type { SessionGrant, Session as SessionOnWire } from '@service-pay/contract/checkout-api';
import { CHALLENGES_PATH, PHONES_PATH } from '../http/paths.ts';
import { EXTENSIONS_PER_SESSION } from '../test-numbers/outcomes.ts';
import type { Clock } from '../time/clock.ts';
import { recordOf, withNotices } from './merchant-view.ts';
import type { Merchant } from './merchants.ts';
import type { Visit } from './session.ts';
import { attemptsLeft, reasonForFailure } from './session-life.ts';

/** Returns what opening a payment responds: 201 to a new visitor, 200 to one who returns. */
export function respondToOpening(
  { token, visit, isResumed }: { token: string; visit: Visit; isResumed: boolean },
  merchant: Merchant,
  clock: Clock,
): { status: 200 | 201; grant: SessionGrant } {
  const session = { ...viewSession(visit, merchant, clock), merchant: recordOf(merchant) };
  return { status: isResumed ? 200 : 201, grant: { token, session } };
}

/** Shows a session to one visitor, without other visitors' input (D25). */
export function viewSession(visit: Visit, merchant: Merchant, clock: Clock): SessionOnWire {
  const { session } = visit;
  return {
    reference: session.reference,
    merchantName: merchant.name,
    label: session.label,
    amount: session.amount,
    fee: session.bearer === 'customer' ? session.charge.fee : '0.00',
    total: session.charge.total,
    currency: session.currency,
    bearer: session.bearer,
    isTest: true,
    channels: [...session.channels],
    networks: withNotices(session.networks, merchant),
    status: session.life.session,
    reasonForFailure: reasonForFailure(session.life),
    attemptsLeft: attemptsLeft(session.life),
    expiresAt: clock.timestamp(session.expiresAt),
    extensionsLeft: EXTENSIONS_PER_SESSION - session.extensions,
    now: clock.timestamp(),
    completedAt:
      session.life.session === 'successful' ? (session.collection?.completedAt ?? null) : null,
    attempt: viewLastAttempt(visit, clock),
  };
}

function viewLastAttempt({ id: visit, session }: Visit, clock: Clock): SessionOnWire['attempt'] {
  const state = session.life.attempts.at(-1);
  const attempt = session.attempts.at(-1);
  if (!state || !attempt) return null;
  const isYours = attempt.visit === visit;
  const isOut = attempt.expiresAt !== null;
  const { phone } = attempt;
  return {
    id: attempt.id,
    channel: attempt.channel,
    status: state.status,
    isYours,
    reasonForFailure: isYours ? state.reasonForFailure : null,
    expiresAt: isOut ? clock.timestamp(attempt.expiresAt!) : null,
    challengeUrl:
      isYours && isOut && attempt.challenge ? `${CHALLENGES_PATH}/${attempt.challenge}` : null,
    prompt:
      isYours && phone
        ? {
            operator: phone.network.operator,
            networkName: phone.network.name,
            firstDigits: phone.national.slice(0, 3),
            lastDigits: phone.national.slice(-4),
            testPhone: `${PHONES_PATH}/${phone.national}`,
          }
        : null,
    card:
      isYours && attempt.cardDetails?.last4
        ? { brand: attempt.cardDetails.cardType, lastDigits: attempt.cardDetails.last4 }
        : null,
    ...(isYours &&
      state.status === 'pay-offline' && { withdrawable: !attempt.isWithdrawalRefused }),
    codesLeft: isYours ? attempt.codesLeft : null,
  };
}
