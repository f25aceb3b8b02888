import type { Network } from '@service-pay/contract/checkout-api';
import type {
  CardDetails,
  Collection,
  MobileMoneyDetails,
  Settlement,
} from '@service-pay/contract/collection';
import type { Bearer, Channel } from '@service-pay/contract/payment-request-schema';
import type { Ending, Outcome } from '../payments/outcomes.ts';
import { type MobilePhone, NETWORKS_BY_CURRENCY } from '../payments/phones.ts';
import type { Attempt, Session } from '../payments/session.ts';
import type { AttemptStatus, SessionStatus } from '../payments/session-life.ts';
import { PackedText } from './packed-text.ts';

/**
 * A thing as a list of values in a fixed order: what is kept a hundred thousand times does not
 * repeat the names of its members.
 */
type Row = readonly unknown[];

const SETTLEMENT_MEMBERS = [
  'id',
  'amountSettled',
  'currency',
  'createdAt',
  'settledAt',
  'status',
  'type',
  'accountId',
] as const;
const MOBILE_MONEY_MEMBERS = [
  'country',
  'phone',
  'operator',
  'accountName',
  'operatorTransactionId',
] as const;
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
  outcome: readonly [
    answeredAfterMs: number | null,
    end: Ending,
    first: NonNullable<Outcome['first']> | null,
  ],
  cardDetails: Row | typeof SAME | null,
  mobileMoneyDetails: Row | typeof SAME | null,
  hasPhone: 0 | 1,
  challenge: string | null,
  codesLeft: number | null,
  expiresAt: number | null,
  planned: number | null,
];
type PackedSession = readonly [
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
  course: readonly [
    expiresAt: number,
    extensions: number,
    endedAt: number | null,
    planned: number | null,
  ],
  life: readonly [status: SessionStatus, isOverdue: boolean],
  visits: readonly string[],
  /** Two for each token: whose it is, and its digest unless the visit is named by it. */
  tokens: readonly (number | string)[],
  passedOver: string[],
  attempts: readonly PackedAttempt[],
  collection: Row | null,
];

/** One by card and one by phone. */
const RECORDS = new PackedText(
  [
    '["pub_sandbox_demo","order-1",["0b7f3c52-3a56-4a63-8d0f-2f1c9a6b7e22","10.00","ZMW","merchant",null,["card","mobile-money"],[]],',
    '["0.25","10.00","9.75"],[1790000000000,0,1790000000000,null],["failed",false],[],[0,0],[],["","card",0,"declined","Card declined",',
    '[0,{"status":"successful"},null],0,null,0,null,null,null,null]],[',
    '1790000000000,1790000000000,0,"0.25",0,0,0,"000000001","card","successful","api",null,"pending",null,["","9.75",0,',
    '1790000000000,null,"pending","next-day",0],null,null,["Ada","Test","424242","4242","visa"]]]',
    '["pub_sandbox_demo","order-1",["0b7f3c52-3a56-4a63-8d0f-2f1c9a6b7e22","10.00","ZMW","merchant",null,["card","mobile-money"],',
    '["mtn","airtel","zamtel"]],["0.25","10.00","9.75"],[1790000000000,0,1790000000000,null],["successful",false],[],[0,0],[],[["",',
    '"mobile-money",0,"successful",null,[3000,{"status":"successful"},null],null,0,1,null,null,null,null]],[',
    '1790000000000,1790000000000,0,"0.25",0,0,0,"000000001","mobile-money","successful","api",null,"settled",["","9.75",0,',
    '1790000000000,1790000000000,"settled","instant",0],["zm","0971111111","airtel","TEST PAYER","SANDBOX-000001"],null,null]]',
  ].join(''),
);

/**
 * A session in 200 bytes, each a character: everything but what can be worked out from the rest.
 * `unpackSession` gives an equal one. A settlement's account, a collection's terms and the details
 * of the last attempt are said once, and ordinary words not at all.
 */
export function packSession(session: Session): string {
  const {
    merchant,
    reference,
    accountId,
    amount,
    currency,
    bearer,
    label,
    channels,
    networks,
    charge,
    life,
    tokens,
    attempts,
  } = session;
  const visits = [
    ...new Set([...tokens.map(({ visit }) => visit), ...attempts.map(({ visit }) => visit)]),
  ];
  const row: PackedSession = [
    merchant,
    reference,
    [
      accountId,
      amount,
      currency,
      bearer,
      label,
      channels,
      networks.map(({ operator }) => operator),
    ],
    [charge.fee, charge.total, charge.settled],
    [session.expiresAt, session.extensions, session.endedAt, session.planned],
    [life.session, life.isOverdue],
    visits,
    tokens.flatMap(({ digest, visit }) => [
      visits.indexOf(visit),
      digest === visit ? SAME : digest,
    ]),
    session.passedOver,
    attempts.map((attempt, at) => packAttempt(session, attempt, at, visits)),
    session.collection && packCollection(session, session.collection),
  ];
  return RECORDS.pack(JSON.stringify(row));
}

/** The session that was packed. */
export function unpackSession(packed: string): Session {
  const [
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
  ] = JSON.parse(RECORDS.unpack(packed)) as PackedSession;
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
    networks: (NETWORKS_BY_CURRENCY.get(currency) ?? []).filter(({ operator }) =>
      operators.includes(operator),
    ),
    charge: { fee, total, settled },
    expiresAt,
    attempts: [],
    tokens: [],
    passedOver,
    life: {
      session: status,
      isOverdue,
      attempts: attempts.map(([id, , , status, reasonForFailure]) => ({
        id,
        status,
        reasonForFailure,
      })),
    },
    extensions,
    collection: null,
    endedAt,
    planned,
  };
  for (let at = 0; at < tokens.length; at += 2) {
    const visit = visits[tokens[at] as number]!;
    session.tokens.push({
      digest: tokens[at + 1] === SAME ? visit : (tokens[at + 1] as string),
      visit,
    });
  }
  session.collection = collection && unpackCollection(session, collection);
  for (const attempt of attempts) session.attempts.push(unpackAttempt(session, attempt, visits));
  return session;
}

function packAttempt(
  session: Session,
  attempt: Attempt,
  at: number,
  visits: readonly string[],
): PackedAttempt {
  const { status, reasonForFailure } = session.life.attempts[at]!;
  const { collection } = session;
  // What has ended is never read again beside its collection, which then knows the payer's name
  // too.
  const isToldByCollection = session.life.session !== 'open' && attempt === session.attempts.at(-1);
  return [
    attempt.id,
    attempt.channel,
    visits.indexOf(attempt.visit),
    status,
    reasonForFailure,
    [attempt.outcome.answeredAfterMs, attempt.outcome.end, attempt.outcome.first ?? null],
    isToldByCollection && collection?.cardDetails
      ? SAME
      : attempt.cardDetails && valuesOf(attempt.cardDetails, CARD_MEMBERS),
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
  const [
    id,
    channel,
    visit,
    ,
    ,
    outcome,
    card,
    mobileMoney,
    hasPhone,
    challenge,
    codesLeft,
    expiresAt,
    planned,
  ] = row;
  const [answeredAfterMs, end, first] = outcome;
  const cardDetails =
    card === SAME
      ? session.collection!.cardDetails
      : card && withMembers<CardDetails>(card, CARD_MEMBERS);
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
    if (member === 'settlement') return settlement && packSettlement(session, settlement);
    if (member === 'mobileMoneyDetails')
      return mobileMoneyDetails && valuesOf(mobileMoneyDetails, MOBILE_MONEY_MEMBERS);
    if (member === 'cardDetails') return cardDetails && valuesOf(cardDetails, CARD_MEMBERS);
    if (member === 'initiatedAt' || member === 'completedAt') return packTime(value);
    const isTerm =
      member === 'amount' || member === 'bearer' || member === 'currency' || member === 'reference';
    return isTerm && value === session[member] ? SAME : value;
  });
}

function unpackCollection(session: Session, row: Row): Collection {
  const collection = withMembers<Collection>(row, COLLECTION_MEMBERS);
  for (const term of ['amount', 'currency', 'reference', 'bearer'] as const) {
    if ((collection[term] as unknown) === SAME) collection[term] = session[term];
  }
  collection.initiatedAt = unpackTime(collection.initiatedAt)!;
  collection.completedAt = unpackTime(collection.completedAt);
  const { settlement, mobileMoneyDetails, cardDetails } = collection as unknown as Record<
    string,
    Row | null
  >;
  collection.settlement = settlement ? unpackSettlement(session, settlement) : null;
  collection.mobileMoneyDetails = mobileMoneyDetails
    ? withMembers(mobileMoneyDetails, MOBILE_MONEY_MEMBERS)
    : null;
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

/**
 * A time as a number, where it is written as a clock of ours writes it: any other stays as it was
 * given.
 */
function packTime(time: unknown): unknown {
  const at = typeof time === 'string' ? Date.parse(time) : Number.NaN;
  return !Number.isNaN(at) && new Date(at).toISOString() === time ? at : time;
}

function unpackTime(packed: unknown): string | null {
  return typeof packed === 'number' ? new Date(packed).toISOString() : (packed as string | null);
}

function phoneOf(
  details: MobileMoneyDetails | null,
  networks: readonly Network[],
): MobilePhone | null {
  const network = networks.find(
    ({ operator, country }) => operator === details?.operator && country === details.country,
  );
  if (!details || !network) return null;
  return {
    national: details.phone,
    international: `+${network.callingCode}${details.phone.slice(1)}`,
    network,
  };
}

function valuesOf(from: object, members: readonly string[]): Row {
  return members.map((member) => (from as Record<string, unknown>)[member]);
}

function withMembers<Whole extends object>(values: Row, members: readonly string[]): Whole {
  return Object.fromEntries(members.map((member, at) => [member, values[at]])) as Whole;
}
