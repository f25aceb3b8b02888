import type { Happening, History } from '../storage/history.ts';
import type { Ending } from '../test-numbers/outcomes.ts';
import { CHANNEL_TABLE } from './channels.ts';
import type { Money } from './currency.ts';
import type { Answer, Attempt, Session } from './session.ts';
import { collectionStatus, findRunning, type Life, type RunningStatus } from './session-life.ts';

type Step = Pick<Happening, 'kind' | 'summary' | 'detail'>;

export function recordSteps(
  history: History,
  { merchant, reference }: Session,
  ...steps: readonly Step[]
): void {
  for (const step of steps) history.record({ ...step, merchant, reference });
}

/**
 * Shows an attempt's instrument: a national phone number, or a card's brand and last digits; null
 * if neither is known.
 */
export function showInstrument({ cardDetails, mobileMoneyDetails }: Instrument): string | null {
  if (mobileMoneyDetails?.phone) return mobileMoneyDetails.phone;
  return cardDetails?.last4 ? `${cardDetails.cardType ?? 'card'} •• ${cardDetails.last4}` : null;
}
type Instrument = {
  readonly cardDetails: { readonly last4: string | null; readonly cardType: string | null } | null;
  readonly mobileMoneyDetails: { readonly phone: string | null } | null;
};

export function sessionOpened({ amount, currency, channels, email }: Session): Step {
  return {
    kind: 'session',
    summary: `The customer opened a session to pay ${amount} ${currency}.`,
    detail: { amount, currency, channels: [...channels], email },
  };
}

export function sessionVisited(isResumed: boolean): Step {
  const who = isResumed ? 'The same visitor' : 'Another visitor';
  return {
    kind: 'session',
    summary: `${who} opened the session again.`,
    detail: { isResumed },
  };
}

export function sessionExtended(expiresAt: string): Step {
  return {
    kind: 'session',
    summary: `The customer got more time: the session now ends at ${expiresAt}.`,
    detail: { expiresAt },
  };
}

export function sessionOverdue(): Step {
  return {
    kind: 'session',
    summary:
      'The session ran out while an attempt was running. The attempt finishes first, and its result counts.',
    detail: null,
  };
}

function sessionEnded(status: string): Step {
  const summary =
    status === 'successful'
      ? 'The customer paid, and the session ended.'
      : 'The session ended without a payment.';
  return { kind: 'session', summary, detail: { status } };
}

/** Tells what changed in the collection and the session since `before`. */
export function changesSince(before: Life, { life, collection }: Session): Step[] {
  const [from, to] = [collectionStatus(before), collectionStatus(life)];
  return [
    ...(to !== undefined && to !== from
      ? [stateChanged(from, to, collection?.reasonForFailure ?? null)]
      : []),
    ...(life.session !== before.session ? [sessionEnded(life.session)] : []),
  ];
}

export function attemptBegan(session: Session, attempt: Attempt, status: RunningStatus): Step {
  const summary = `${nameOf(session, attempt)} by ${CHANNEL_TABLE[attempt.channel].name} began: ${waitOf(attempt, status)}.`;
  return { kind: 'attempt', summary, detail: factsOf(attempt, status, null) };
}

export function attemptMoved(session: Session, attempt: Attempt, status: RunningStatus): Step {
  return {
    kind: 'attempt',
    summary: `${nameOf(session, attempt)} went on: ${waitOf(attempt, status)}.`,
    detail: factsOf(attempt, status, null),
  };
}

export function attemptPassedOver({ attempts }: Session, id: string): Step {
  return {
    kind: 'attempt',
    summary: `The customer sent another attempt while attempt ${attempts.length} was running. It never begins.`,
    detail: { id },
  };
}

export function promptAnswered(session: Session, attempt: Attempt, answer: Answer): Step {
  const phone = showInstrument(attempt) ?? 'the phone';
  return {
    kind: 'control',
    summary: `Someone ${answer}d the prompt of attempt ${numberOf(session, attempt)} on ${phone}.`,
    detail: { id: attempt.id, phone, answer },
  };
}

export function withdrawalRejected(session: Session, attempt: Attempt): Step {
  const phone = showInstrument(attempt) ?? 'the phone';
  return {
    kind: 'attempt',
    summary: `The customer tried to cancel the prompt of attempt ${numberOf(session, attempt)}, but the network cannot cancel it on ${phone}.`,
    detail: { id: attempt.id, phone },
  };
}

export function challengeAnswered(session: Session, attempt: Attempt, answer: Answer): Step {
  return {
    kind: 'attempt',
    summary: `Someone ${answer}d the card verification of attempt ${numberOf(session, attempt)}.`,
    detail: { id: attempt.id, answer },
  };
}

export function codeRejected(session: Session, attempt: Attempt): Step {
  const left = attempt.codesLeft ?? 0;
  const tries = left === 1 ? '1 try is' : `${left} tries are`;
  return {
    kind: 'attempt',
    summary: `${nameOf(session, attempt)} got a wrong one-time code: ${tries} left.`,
    detail: { ...factsOf(attempt, findRunning(session.life)?.status ?? '', null), codesLeft: left },
  };
}

export function attemptEnded(session: Session, attempt: Attempt, ending: Ending): Step {
  const reason = ending.status === 'declined' ? ending.reason : null;
  const summary =
    reason === null
      ? `${nameOf(session, attempt)} was successful.`
      : `${nameOf(session, attempt)} was declined: ${reason}.`;
  return { kind: 'attempt', summary, detail: factsOf(attempt, ending.status, reason) };
}

function stateChanged(before: string | undefined, now: string, reason: string | null): Step {
  const why = reason === null ? '' : `: ${reason}`;
  return {
    kind: 'state',
    summary:
      before === undefined
        ? `The collection began as ${now}.`
        : `The collection went from ${before} to ${now}${why}.`,
    detail: { from: before ?? null, to: now, reason },
  };
}

export function settlementPlanned({
  amount,
  currency,
  type,
  dueAt,
}: Money & { type: string; dueAt: string }): Step {
  return {
    kind: 'settlement',
    summary: `The service plans a settlement of ${amount} ${currency}: ${type}, due at ${dueAt}.`,
    detail: { status: 'pending', amount, currency, type, dueAt },
  };
}

export function settlementPaid({ amount, currency }: Money): Step {
  return {
    kind: 'settlement',
    summary: `The service settled ${amount} ${currency} to the merchant.`,
    detail: { status: 'settled', amount, currency },
  };
}

function nameOf(session: Session, attempt: Attempt): string {
  return `Attempt ${numberOf(session, attempt)}`;
}

function numberOf({ attempts }: Session, attempt: Attempt): number {
  return attempts.findIndex(({ id }) => id === attempt.id) + 1;
}

function waitOf(attempt: Attempt, status: RunningStatus): string {
  const instrument = showInstrument(attempt) ?? 'an instrument';
  if (status === 'pay-offline') return `prompt sent to ${instrument}`;
  if (status === 'otp-required') return `one-time code sent to ${instrument}`;
  if (status === '3ds-auth-required') return `the bank of ${instrument} asks for a verification`;
  return `${instrument} is being charged`;
}

function factsOf(attempt: Attempt, status: string, reason: string | null): Step['detail'] {
  return {
    id: attempt.id,
    channel: attempt.channel,
    instrument: showInstrument(attempt),
    status,
    reason,
  };
}
