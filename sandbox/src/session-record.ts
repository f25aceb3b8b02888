import type { Network } from '@service-pay/contract/checkout-api';
import type { CardDetails, Collection, MobileMoneyDetails, Settlement } from '@service-pay/contract/collection';
import type { Bearer, Channel } from '@service-pay/contract/payment-request-schema';

import type { AttemptStatus, SessionStatus } from './collection-life.ts';
import type { Attempt, Session } from './collection-store.ts';
import type { Ending, Outcome } from './outcomes.ts';
import { type MobilePhone, NETWORKS_BY_CURRENCY } from './phone-numbers.ts';

/** A thing as a list of values in a fixed order: what is kept a hundred thousand times does not repeat the names of its members. */
type Row = readonly unknown[];

const SETTLEMENT_MEMBERS = ['id', 'amountSettled', 'currency', 'createdAt', 'settledAt', 'status', 'type', 'accountId'] as const;
const MOBILE_MONEY_MEMBERS = ['country', 'phone', 'operator', 'accountName', 'operatorTransactionId'] as const;
const CARD_MEMBERS = ['firstName', 'lastName', 'bin', 'last4', 'cardType'] as const;
const COLLECTION_MEMBERS = [
  'id',
  'initiatedAt',
  'completedAt',
  'amount',
  'fee',
  'bearer',
  'currency',
  'reference',
  'serviceReference',
  'type',
  'status',
  'source',
  'reasonForFailure',
  'settlementStatus',
  'settlement',
  'mobileMoneyDetails',
  'bankAccountDetails',
  'cardDetails',
] as const satisfies readonly (keyof Collection)[];

/** Stands for what the session says already. */
const SAME = 0;

type PackedAttempt = readonly [
  id: string,
  channel: Channel,
  visit: number,
  status: AttemptStatus,
  reasonForFailure: string | null,
  outcome: readonly [answeredAfterMs: number | null, end: Ending, first: NonNullable<Outcome['first']> | null],
  cardDetails: Row | typeof SAME | null,
  mobileMoneyDetails: Row | typeof SAME | null,
  hasPhone: 0 | 1,
  challenge: string | null,
  codesLeft: number | null,
  expiresAt: number | null,
  planned: number | null,
];
type PackedSession = readonly [
  /** What its collection is looked for by, in front, so that a search reads nothing else. */
  marks: string,
  merchant: string,
  reference: string,
  terms: readonly [
    accountId: string,
    amount: string,
    currency: string,
    bearer: Bearer,
    label: string | null,
    channels: readonly Channel[],
    operators: readonly string[],
  ],
  charge: readonly [fee: string, total: string, settled: string],
  course: readonly [expiresAt: number, extensions: number, endedAt: number | null, planned: number | null],
  life: readonly [status: SessionStatus, isOverdue: boolean],
  visits: readonly string[],
  /** Two for each token: whose it is, and its digest unless the visit is named by it. */
  tokens: readonly (number | string)[],
  passedOver: string[],
  attempts: readonly PackedAttempt[],
  collection: Row | null,
];

/**
 * A session as one text, a fifth of its size in memory: everything but what can be worked out from the rest. `unpackSession` gives an
 * equal one. A settlement's account, a collection's terms and the details of the last attempt are said once.
 */
export function packSession(session: Session): string {
  const { merchant, reference, accountId, amount, currency, bearer, label, channels, networks, charge, life, tokens, attempts } = session;
  const visits = [...new Set([...tokens.map(({ visit }) => visit), ...attempts.map(({ visit }) => visit)])];
  const row: PackedSession = [
    session.collection ? marksOf(session.collection) : '',
    merchant,
    reference,
    [accountId, amount, currency, bearer, label, channels, networks.map(({ operator }) => operator)],
    [charge.fee, charge.total, charge.settled],
    [session.expiresAt, session.extensions, session.endedAt, session.planned],
    [life.session, life.isOverdue],
    visits,
    tokens.flatMap(({ digest, visit }) => [visits.indexOf(visit), digest === visit ? SAME : digest]),
    session.passedOver,
    attempts.map((attempt, at) => packAttempt(session, attempt, at, visits)),
    session.collection && packCollection(session, session.collection),
  ];
  return JSON.stringify(row);
}

/** Tells whether `part`, in lower case, is in what `marksOf` the text's collection gives, without unpacking it. */
export function isMarked(packed: string, part: string): boolean {
  const start = packed.indexOf('"') + 1;
  return packed.slice(start, packed.indexOf('"', start)).includes(part);
}

/** By what a person looks for a collection: id, service reference, phone and the last digits of a card, in lower case. No mark holds a bar. */
export function marksOf({ id, serviceReference, mobileMoneyDetails, cardDetails }: Collection): string {
  const marks = [id, serviceReference, mobileMoneyDetails?.phone ?? '', cardDetails?.last4 ?? ''];
  return marks.map((mark) => mark.toLowerCase().replace(/["\\|\p{C}]/gu, ' ')).join('|');
}

/** The session a text was made of. */
export function unpackSession(packed: string): Session {
  const [
    marks,
    merchant,
    reference,
    terms,
    [fee, total, settled],
    course,
    [status, isOverdue],
    visits,
    tokens,
    passedOver,
    attempts,
    collection,
  ] = JSON.parse(packed) as PackedSession;
  const [accountId, amount, currency, bearer, label, channels, operators] = terms;
  const [expiresAt, extensions, endedAt, planned] = course;
  const session: Session = {
    merchant,
    accountId,
    reference,
    amount,
    currency,
    bearer,
    label,
    channels,
    networks: (NETWORKS_BY_CURRENCY.get(currency) ?? []).filter(({ operator }) => operators.includes(operator)),
    charge: { fee, total, settled },
    expiresAt,
    attempts: [],
    tokens: [],
    passedOver,
    life: {
      session: status,
      isOverdue,
      attempts: attempts.map(([id, , , status, reasonForFailure]) => ({ id, status, reasonForFailure })),
    },
    extensions,
    collection: null,
    endedAt,
    planned,
  };
  for (let at = 0; at < tokens.length; at += 2) {
    const visit = visits[tokens[at] as number]!;
    session.tokens.push({ digest: tokens[at + 1] === SAME ? visit : (tokens[at + 1] as string), visit });
  }
  session.collection = collection && unpackCollection(session, collection, marks);
  for (const attempt of attempts) session.attempts.push(unpackAttempt(session, attempt, visits));
  return session;
}

function packAttempt(session: Session, attempt: Attempt, at: number, visits: readonly string[]): PackedAttempt {
  const { status, reasonForFailure } = session.life.attempts[at]!;
  const { collection } = session;
  // What has ended is never read again beside its collection, which then knows the payer's name too.
  const isToldByCollection = session.life.session !== 'open' && attempt === session.attempts.at(-1);
  return [
    attempt.id,
    attempt.channel,
    visits.indexOf(attempt.visit),
    status,
    reasonForFailure,
    [attempt.outcome.answeredAfterMs, attempt.outcome.end, attempt.outcome.first ?? null],
    isToldByCollection && collection?.cardDetails ? SAME : attempt.cardDetails && valuesOf(attempt.cardDetails, CARD_MEMBERS),
    isToldByCollection && collection?.mobileMoneyDetails
      ? SAME
      : attempt.mobileMoneyDetails && valuesOf(attempt.mobileMoneyDetails, MOBILE_MONEY_MEMBERS),
    attempt.phone ? 1 : 0,
    attempt.challenge,
    attempt.codesLeft,
    attempt.expiresAt,
    attempt.planned,
  ];
}

function unpackAttempt(session: Session, row: PackedAttempt, visits: readonly string[]): Attempt {
  const [id, channel, visit, , , outcome, card, mobileMoney, hasPhone, challenge, codesLeft, expiresAt, planned] = row;
  const [answeredAfterMs, end, first] = outcome;
  const cardDetails = card === SAME ? session.collection!.cardDetails : card && withMembers<CardDetails>(card, CARD_MEMBERS);
  const mobileMoneyDetails =
    mobileMoney === SAME
      ? session.collection!.mobileMoneyDetails
      : mobileMoney && withMembers<MobileMoneyDetails>(mobileMoney, MOBILE_MONEY_MEMBERS);
  return {
    id,
    channel,
    visit: visits[visit]!,
    outcome: { ...(first && { first }), answeredAfterMs, end },
    cardDetails,
    mobileMoneyDetails,
    phone: hasPhone ? phoneOf(mobileMoneyDetails, session.networks) : null,
    challenge,
    codesLeft,
    expiresAt,
    planned,
  };
}

function packCollection(session: Session, collection: Collection): Row {
  const { settlement, mobileMoneyDetails, cardDetails } = collection;
  return valuesOf(collection, COLLECTION_MEMBERS).map((value, at) => {
    const member = COLLECTION_MEMBERS[at]!;
    if (member === 'id' && value === String(value).toLowerCase()) return SAME;
    if (member === 'settlement') return settlement && packSettlement(session, settlement);
    if (member === 'mobileMoneyDetails') return mobileMoneyDetails && valuesOf(mobileMoneyDetails, MOBILE_MONEY_MEMBERS);
    if (member === 'cardDetails') return cardDetails && valuesOf(cardDetails, CARD_MEMBERS);
    if (member === 'initiatedAt' || member === 'completedAt') return packTime(value);
    const isTerm = member === 'amount' || member === 'bearer' || member === 'currency' || member === 'reference';
    return isTerm && value === session[member] ? SAME : value;
  });
}

function unpackCollection(session: Session, row: Row, marks: string): Collection {
  const collection = withMembers<Collection>(row, COLLECTION_MEMBERS);
  if ((collection.id as unknown) === SAME) collection.id = marks.slice(0, marks.indexOf('|'));
  for (const term of ['amount', 'currency', 'reference', 'bearer'] as const) {
    if ((collection[term] as unknown) === SAME) collection[term] = session[term];
  }
  collection.initiatedAt = unpackTime(collection.initiatedAt)!;
  collection.completedAt = unpackTime(collection.completedAt);
  const { settlement, mobileMoneyDetails, cardDetails } = collection as unknown as Record<string, Row | null>;
  collection.settlement = settlement ? unpackSettlement(session, settlement) : null;
  collection.mobileMoneyDetails = mobileMoneyDetails ? withMembers(mobileMoneyDetails, MOBILE_MONEY_MEMBERS) : null;
  collection.cardDetails = cardDetails ? withMembers(cardDetails, CARD_MEMBERS) : null;
  return collection;
}

function packSettlement(session: Session, settlement: Settlement): Row {
  const { createdAt, settledAt, currency, accountId } = settlement;
  return valuesOf(
    {
      ...settlement,
      createdAt: packTime(createdAt),
      settledAt: packTime(settledAt),
      currency: currency === session.currency ? SAME : currency,
      accountId: accountId === session.accountId ? SAME : accountId,
    },
    SETTLEMENT_MEMBERS,
  );
}

function unpackSettlement(session: Session, row: Row): Settlement {
  const settlement = withMembers<Settlement>(row, SETTLEMENT_MEMBERS);
  if ((settlement.currency as unknown) === SAME) settlement.currency = session.currency;
  if ((settlement.accountId as unknown) === SAME) settlement.accountId = session.accountId;
  settlement.createdAt = unpackTime(settlement.createdAt)!;
  settlement.settledAt = unpackTime(settlement.settledAt);
  return settlement;
}

/** A time as a number, where it is written as a clock of ours writes it: any other stays as it was given. */
function packTime(time: unknown): unknown {
  const at = typeof time === 'string' ? Date.parse(time) : Number.NaN;
  return !Number.isNaN(at) && new Date(at).toISOString() === time ? at : time;
}

function unpackTime(packed: unknown): string | null {
  return typeof packed === 'number' ? new Date(packed).toISOString() : (packed as string | null);
}

function phoneOf(details: MobileMoneyDetails | null, networks: readonly Network[]): MobilePhone | null {
  const network = networks.find(({ operator, country }) => operator === details?.operator && country === details.country);
  if (!details || !network) return null;
  return { national: details.phone, international: `+${network.callingCode}${details.phone.slice(1)}`, network };
}

function valuesOf(from: object, members: readonly string[]): Row {
  return members.map((member) => (from as Record<string, unknown>)[member]);
}

function withMembers<Whole extends object>(values: Row, members: readonly string[]): Whole {
  return Object.fromEntries(members.map((member, at) => [member, values[at]])) as Whole;
}
