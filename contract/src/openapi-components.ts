import * as v from 'valibot';

import {
  ATTEMPT_STATUSES,
  attemptSchema,
  cardSchema,
  createAttemptSchema,
  networkSchema,
  oneTimeCodeSchema,
  SESSION_STATUSES,
  sessionGrantSchema,
  sessionSchema,
} from './checkout-api.ts';
import {
  bankAccountDetailsSchema,
  COLLECTION_SOURCES,
  COLLECTION_STATUSES,
  cardDetailsSchema,
  collectionSchema,
  mobileMoneyDetailsSchema,
  SETTLEMENT_STATUSES,
  SETTLEMENT_TYPES,
  settlementSchema,
} from './collection.ts';
import {
  ERROR_CODES,
  envelopeSchema,
  errorEnvelopeSchema,
  fieldProblemSchema,
  listEnvelopeSchema,
  metaSchema,
} from './envelope.ts';
import { CHANNELS } from './payment-request.ts';
import { billingSchema, customerSchema, paymentRequestSchema } from './payment-request-schema.ts';
import { EVENTS } from './webhook.ts';

/**
 * What one member says: a sentence; the values known of it, where a reader must also take others
 * (D32); whether a number only counts.
 */
export type MemberWords =
  | string
  | { readonly says: string; readonly known?: readonly unknown[]; readonly isCount?: true };

/** One schema under its name in the description, with words for people. */
export interface Component {
  readonly schema: v.GenericSchema;
  readonly description: string;
  readonly members: Readonly<Record<string, MemberWords>>;
  /** What has no place in the schema itself. */
  readonly more?: object;
}

/**
 * A component whose every member has words: one that is added to a schema does not compile until it
 * is explained.
 */
export function component<const Schema extends v.GenericSchema>(
  schema: Schema,
  description: string,
  members: { readonly [Member in keyof v.InferOutput<Schema>]-?: MemberWords },
): Component {
  return { schema, description, members: members as Readonly<Record<string, MemberWords>> };
}

const STATUS = 'True: the call was understood and done. Whether money moved is in `data`.';
const MESSAGE = 'For logs and people. Never decide by it.';

const [cardAttemptSchema, mobileMoneyAttemptSchema] = createAttemptSchema.options;

/**
 * The challenge page of a card, as the sandbox's own page reads it: no service needs to have the
 * like.
 */
const challengeSchema = v.object({
  merchantName: v.string(),
  total: sessionSchema.entries.total,
  currency: sessionSchema.entries.currency,
  isOpen: v.boolean(),
});

/** What the challenge page is answered by. */
const challengeChoiceSchema = v.object({ answer: v.picklist(['approve', 'decline']) });

/**
 * The body of a webhook with all that the service sends (D40): a receiver needs no more of it than
 * the reference (D54).
 */
const sentEventSchema = v.object({ event: v.string(), data: collectionSchema });

/** An answer around one component. */
export function answerOf(schema: v.GenericSchema, description: string): Component {
  return component(envelopeSchema(schema), description, {
    status: STATUS,
    message: MESSAGE,
    data: 'What was asked for.',
  });
}

/** Every schema of merchant API, checkout API and webhook, by its name in the description. */
export const COMPONENTS = {
  Collection: component(
    collectionSchema,
    'One payment as the service tells it (specification 2.3). Amounts are decimal texts in whole units of `currency`, times are UTC.',
    {
      id: 'Identifier of the collection.',
      initiatedAt: 'When the first attempt began.',
      completedAt: 'When it became final; null before.',
      amount: 'What was asked for, two decimals. Compare it as a decimal, never as a float.',
      fee: 'What the service takes; null until it is known.',
      bearer: { says: 'Who bears the fee.', known: ['merchant', 'customer'] },
      currency: 'Three capital letters (ISO 4217).',
      reference: "The merchant's reference.",
      serviceReference: "The service's reference.",
      type: { says: 'The payment channel. Take others as they come.', known: CHANNELS },
      status: {
        says: 'Where the payment stands. Final are `successful` and `failed` alone; take a word you do not know as not final (D30, D32).',
        known: COLLECTION_STATUSES,
      },
      source: { says: 'Where it came from.', known: COLLECTION_SOURCES },
      reasonForFailure: 'Why it failed, in words for people; null where it did not.',
      settlementStatus: {
        says: 'Where the payout stands; null until there is one.',
        known: SETTLEMENT_STATUSES,
      },
      settlement: 'The payout; null until there is one.',
      mobileMoneyDetails: 'Who paid by mobile money; null for any other channel.',
      bankAccountDetails: 'A bank account; null for any other channel.',
      cardDetails: 'What is kept of a card; null for any other channel.',
    },
  ),
  Settlement: component(settlementSchema, 'The payout of one collection (specification 2.4).', {
    id: 'Identifier of the payout.',
    amountSettled: 'What is paid out: the amount less the fee where the merchant bears it.',
    currency: 'Three capital letters (ISO 4217).',
    createdAt: 'When the payout was made.',
    settledAt: 'When it arrived; null until then.',
    status: { says: 'Where the payout stands.', known: SETTLEMENT_STATUSES },
    type: { says: 'How it is paid out.', known: SETTLEMENT_TYPES },
    accountId: 'The account it goes to.',
  }),
  MobileMoneyDetails: component(
    mobileMoneyDetailsSchema,
    'Who paid by mobile money (specification 2.5).',
    {
      country: 'Two lower-case letters.',
      phone: 'The national number, leading 0 included.',
      operator: 'The network, in lower case.',
      accountName: 'Whose account it is; null until the network says.',
      operatorTransactionId: "The network's own identifier; null until the network says.",
    },
  ),
  CardDetails: component(
    cardDetailsSchema,
    'What is kept of a card. The number is nowhere (D34).',
    {
      firstName: 'First name on the card.',
      lastName: 'The other names on the card.',
      bin: 'The first six digits.',
      last4: 'The last four digits.',
      cardType: { says: 'The scheme.', known: ['visa', 'mastercard'] },
    },
  ),
  BankAccountDetails: {
    schema: bankAccountDetailsSchema,
    description: 'The specification says no more than that it is an object.',
    members: {},
  },
  Meta: component(metaSchema, 'Where a page of a list stands (specification 2.2).', {
    total: { says: 'Records in all.', isCount: true },
    perPage: { says: 'Most records on a page.', isCount: true },
    currentPage: { says: 'This page, from 1 on.', isCount: true },
    pageCount: { says: 'Pages in all.', isCount: true },
  }),
  FieldProblem: component(
    fieldProblemSchema,
    'One field that could not be taken. Never its value.',
    {
      path: 'Where it is, its names joined by dots.',
      code: 'A word for programs.',
      message: 'A sentence for people.',
    },
  ),
  ErrorAnswer: component(
    errorEnvelopeSchema,
    'The answer to a call that failed (specification 2.2 and 7). Decide by HTTP status and `errorCode`.',
    {
      status: 'False: nothing was done.',
      message: 'What was wrong and what to do. For logs and people.',
      errorCode: { says: 'Two digits (specification 7).', known: Object.keys(ERROR_CODES).sort() },
      data: 'Where fields could not be taken: `problems` names each.',
    },
  ),
  PaymentRequest: component(
    paymentRequestSchema,
    'What a page asks to be paid (specification 2.1), with `amount` as a decimal text.',
    {
      key: "The merchant's public key.",
      email: "The customer's e-mail address.",
      reference: "The merchant's reference, a new one for every payment.",
      amount: 'What the customer pays, above 0, in whole units of `currency`.',
      currency: "Three capital letters; without it the merchant's default applies (D8).",
      label: 'Text shown in the popup, its first 120 characters.',
      bearer: 'Who bears the fee, where the dashboard has not settled it (D36).',
      channels: 'Which channels to offer; without it all that the merchant has.',
      customer: 'Who pays: fills in the form, decides nothing.',
      billing: 'Where the card is billed to.',
      locale: 'The language to speak, such as `fr` (D23).',
    },
  ),
  Customer: component(customerSchema, 'Who pays, as far as the shop knows (specification 2.1).', {
    firstName: 'First name.',
    lastName: 'Last name.',
    phone: 'Phone number, as it is.',
  }),
  Billing: component(billingSchema, 'A billing address (specification 2.1).', {
    streetAddress: 'Street and house.',
    city: 'City.',
    state: 'State or province; two letters in the US and Canada.',
    postalCode: 'Postal code.',
    country: 'Two letters.',
  }),
  Session: component(
    sessionSchema,
    'One visit to the checkout page, as the frame sees it. Time left is `expiresAt` less `now`.',
    {
      reference: "The merchant's reference.",
      merchantName: 'Who is paid.',
      label: 'Text of the request; null without.',
      amount: 'What was asked for.',
      fee: 'What the customer pays on top: `0.00` where the merchant bears the fee.',
      total: "What leaves the customer's account.",
      currency: 'Three capital letters (ISO 4217).',
      bearer: 'Who bears the fee here.',
      isTest: 'True where no money moves.',
      channels: { says: 'Channels offered.', known: [[...CHANNELS]] },
      networks: 'Mobile networks offered.',
      status: {
        says: '`failed` means over: expired, or out of attempts (D37).',
        known: SESSION_STATUSES,
      },
      reasonForFailure: "The last decline's reason where the session failed.",
      attemptsLeft: { says: 'How many attempts may still begin.', isCount: true },
      expiresAt: 'When the session ends.',
      extensionsLeft: {
        says: 'How often more time may be asked for. Absent where a service gives none.',
        isCount: true,
      },
      now: "The service's clock.",
      attempt: 'The newest attempt; null before the first.',
    },
  ),
  Network: component(networkSchema, 'A mobile network a customer may choose.', {
    operator: 'Its name for programs.',
    name: 'Its name for people.',
    country: 'Two lower-case letters.',
    callingCode: "The country's calling code, without `+`.",
    prefixes: 'How its national numbers begin, leading 0 included.',
  }),
  Attempt: component(
    attemptSchema,
    'One try with one instrument. What another visitor typed is not shown (D25).',
    {
      id: 'As the frame made it.',
      channel: { says: 'The payment channel.', known: CHANNELS },
      status: {
        says: 'Where the attempt stands. `declined` leaves the session open (D31).',
        known: ATTEMPT_STATUSES,
      },
      isYours: 'Whether this visitor began it.',
      reasonForFailure: 'Why it was declined.',
      expiresAt:
        'When the prompt, code or challenge gives up by itself; null where nothing is waited for.',
      challengeUrl: "Path of the bank's page, on the service's origin.",
      prompt: 'The phone asked; null for a card.',
      codesLeft: {
        says: 'How many more one-time codes may be tried; null where none is asked for.',
        isCount: true,
      },
    },
  ),
  SessionGrant: component(sessionGrantSchema, 'A session and the token that opens it.', {
    token: 'Goes in a header, never in a URL. The newest one alone begins attempts.',
    session: 'The session as it stands.',
  }),
  Card: component(
    cardSchema,
    'A card as typed, blanks and dashes included. Read once, never stored.',
    {
      number: 'The number. In the sandbox: a test number.',
      expiry: 'Month and year, two digits each: `12/34`.',
      securityCode: 'The digits on the back.',
      name: 'Name on the card.',
    },
  ),
  CardAttempt: component(cardAttemptSchema, 'One try with a card.', {
    id: 'A UUID the caller makes: sent again under it, an attempt never charges twice.',
    channel: 'Always `card`.',
    card: 'The card.',
    billing: 'Asked for by some cards.',
  }),
  MobileMoneyAttempt: component(mobileMoneyAttemptSchema, 'One try with a phone.', {
    id: 'A UUID the caller makes: sent again under it, an attempt never charges twice.',
    channel: 'Always `mobile-money`.',
    mobileMoney: 'The network, as a session offers it, and the number.',
  }),
  CreateAttempt: {
    schema: createAttemptSchema,
    description: 'One try with one instrument.',
    members: {},
    more: {
      discriminator: {
        propertyName: 'channel',
        mapping: {
          card: '#/components/schemas/CardAttempt',
          'mobile-money': '#/components/schemas/MobileMoneyAttempt',
        },
      },
    },
  },
  OneTimeCode: component(oneTimeCodeSchema, 'The code a customer was sent.', {
    code: 'Four to eight digits.',
  }),
  Challenge: component(challengeSchema, 'What the page of a card verification shows.', {
    merchantName: 'Who is paid.',
    total: "What leaves the customer's account.",
    currency: 'Three capital letters (ISO 4217).',
    isOpen: 'Whether it can still be answered.',
  }),
  ChallengeChoice: component(challengeChoiceSchema, 'The answer to a card verification.', {
    answer: 'What the customer chose.',
  }),
  WebhookEvent: component(
    sentEventSchema,
    'The body of a webhook (specification 6, D40). Use its reference, then verify.',
    {
      event: { says: 'What happened. Answer 200 to those you do not know.', known: EVENTS },
      data: 'The collection as it was then.',
    },
  ),
  CollectionAnswer: answerOf(
    collectionSchema,
    'One collection, in the envelope (specification 2.2).',
  ),
  CollectionListAnswer: component(
    listEnvelopeSchema(collectionSchema),
    'A page of collections, in the envelope (specification 2.2).',
    {
      status: STATUS,
      message: MESSAGE,
      data: 'The page, newest first.',
      meta: 'Where the page stands.',
    },
  ),
  SessionAnswer: answerOf(sessionSchema, 'A session, in the envelope.'),
  SessionGrantAnswer: answerOf(sessionGrantSchema, 'A session and its token, in the envelope.'),
  ChallengeStateAnswer: answerOf(challengeSchema, 'A card verification, in the envelope.'),
  ChallengeChoiceAnswer: answerOf(
    challengeChoiceSchema,
    'The answer that was taken, in the envelope.',
  ),
} as const satisfies Record<string, Component>;
