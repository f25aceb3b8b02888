import * as v from 'valibot';

import {
  ATTEMPT_STATUSES,
  attemptSchema,
  CARD_BRANDS,
  cardSchema,
  createAttemptSchema,
  merchantRecordSchema,
  NETWORK_NOTICES,
  networkSchema,
  oneTimeCodeSchema,
  SESSION_STATUSES,
  sessionGrantSchema,
  sessionSchema,
} from '../checkout-api.ts';
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
} from '../collection.ts';
import {
  ERROR_CODES,
  envelopeSchema,
  errorEnvelopeSchema,
  fieldProblemSchema,
  listEnvelopeSchema,
  metaSchema,
} from '../envelope.ts';
import { CHANNELS, REQUEST_RULES } from '../payment-request.ts';
import { billingSchema, customerSchema, paymentRequestSchema } from '../payment-request-schema.ts';
import { EVENTS } from '../webhook.ts';

export type MemberWords =
  | string
  | {
      readonly says: string;
      readonly known?: readonly unknown[];
      readonly isCount?: true;
      /** For a schema that changes the text before it checks it. */
      readonly pattern?: RegExp;
    };

export interface Component {
  readonly schema: v.GenericSchema;
  readonly description: string;
  readonly members: Readonly<Record<string, MemberWords>>;
  readonly more?: object;
}

/**
 * Builds a component with a description for every field. A field added to a schema does not compile
 * without one.
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

const challengeSchema = v.object({
  merchantName: v.string(),
  total: sessionSchema.entries.total,
  currency: sessionSchema.entries.currency,
  isOpen: v.boolean(),
});

const challengeChoiceSchema = v.object({ answer: v.picklist(['approve', 'decline']) });

/**
 * The body of a webhook with all that the service sends (D40): a receiver needs only the reference
 * (D54).
 */
const sentEventSchema = v.object({ event: v.string(), data: collectionSchema });

/** Builds the response that carries `data`, which is described as in "A session". */
export function responseOf(schema: v.GenericSchema, data: string): Component {
  return component(envelopeSchema(schema), `${data}, in the envelope.`, {
    status: STATUS,
    message: MESSAGE,
    data: `${data}.`,
  });
}

export const COMPONENTS = {
  Collection: component(
    collectionSchema,
    'One payment. Amounts are decimal strings in major units of `currency`, times are UTC.',
    {
      id: 'Identifier of the collection.',
      initiatedAt: 'When the first attempt began.',
      completedAt: 'When it became final; null before.',
      amount: 'The amount requested, with two decimals. Compare it as a decimal, never as a float.',
      fee: 'What the service charges; null until known.',
      bearer: { says: 'Who pays the fee.', known: ['merchant', 'customer'] },
      currency: 'Three capital letters (ISO 4217).',
      reference: "The merchant's reference.",
      serviceReference: "The service's reference.",
      type: { says: 'The payment channel. Accept others, too.', known: CHANNELS },
      status: {
        says: 'Only `successful` and `failed` are final; treat a status you do not know as not final.',
        known: COLLECTION_STATUSES,
      },
      source: { says: 'Where it came from.', known: COLLECTION_SOURCES },
      reasonForFailure: 'Why it failed, for people; null if it did not.',
      settlementStatus: {
        says: 'Status of the payout; null until there is one.',
        known: SETTLEMENT_STATUSES,
      },
      settlement: 'The payout; null until there is one.',
      mobileMoneyDetails: 'Who paid by mobile money; null for any other channel.',
      bankAccountDetails: 'A bank account; null for any other channel.',
      cardDetails: 'The stored card details; null for any other channel.',
    },
  ),
  Settlement: component(settlementSchema, 'The payout of one collection.', {
    id: 'Identifier of the payout.',
    amountSettled: 'The amount paid out: without the fee if the merchant pays it.',
    currency: 'Three capital letters (ISO 4217).',
    createdAt: 'When the payout was made.',
    settledAt: 'When it arrived; null until then.',
    status: { says: 'Status of the payout.', known: SETTLEMENT_STATUSES },
    type: { says: 'How it is paid out.', known: SETTLEMENT_TYPES },
    accountId: 'The account it goes to.',
  }),
  MobileMoneyDetails: component(mobileMoneyDetailsSchema, 'Who paid by mobile money.', {
    country: 'Two lower-case letters.',
    phone: 'The national number, including the leading 0.',
    operator: 'The network, in lower case.',
    accountName: 'Whose account it is; null until the network says.',
    operatorTransactionId: "The network's own identifier; null until the network says.",
  }),
  CardDetails: component(
    cardDetailsSchema,
    'Stored card details. The full number is never stored.',
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
    description: 'Specified only as an object.',
    members: {},
  },
  Meta: component(metaSchema, 'Position of a page in its list.', {
    total: { says: 'Total number of records.', isCount: true },
    perPage: { says: 'Maximum number of records per page.', isCount: true },
    currentPage: { says: 'Number of this page, starting at 1.', isCount: true },
    pageCount: { says: 'Total number of pages.', isCount: true },
  }),
  FieldProblem: component(fieldProblemSchema, 'One invalid field, without its value.', {
    path: 'Path of the field, joined by dots.',
    code: 'A code for programs.',
    message: 'A sentence for people.',
  }),
  ErrorAnswer: component(
    errorEnvelopeSchema,
    'The response to a failed call. Branch on HTTP status and `errorCode`.',
    {
      status: 'False: nothing was done.',
      message: 'What went wrong and what to do, for logs and people.',
      errorCode: { says: 'Two digits.', known: Object.keys(ERROR_CODES).sort() },
      data: 'For invalid fields: `problems` lists each.',
    },
  ),
  PaymentRequest: component(
    paymentRequestSchema,
    'A payment request from a page, with `amount` as a decimal string.',
    {
      key: "The merchant's public key.",
      email: {
        says: "The customer's e-mail address.",
        pattern: REQUEST_RULES.email.pattern,
      },
      reference: "The merchant's reference, a new one for every payment.",
      amount: 'What the customer pays, above 0, in major units of `currency`.',
      currency: "Three capital letters; without it the merchant's default applies.",
      label: 'Text shown in the popup, its first 120 characters.',
      bearer: 'Who pays the fee, unless the dashboard decides.',
      channels: "Channels to offer; default: all of the merchant's channels.",
      customer: 'Prefills the form.',
      billing: 'The billing address.',
      locale: 'The language of the popup, such as `fr`.',
    },
  ),
  Customer: component(customerSchema, 'The customer, as far as the shop knows.', {
    firstName: 'First name.',
    lastName: 'Last name.',
    phone: 'Phone number, not validated.',
  }),
  Billing: component(billingSchema, 'A billing address.', {
    streetAddress: 'Street and house.',
    city: 'City.',
    state: 'State or province; two letters in the US and Canada.',
    postalCode: 'Postal code.',
    country: 'Two letters.',
  }),
  Session: component(
    sessionSchema,
    'One visit to the checkout page, as the frame sees it. The remaining time is `expiresAt` minus `now`.',
    {
      reference: "The merchant's reference.",
      merchantName: 'Name of the merchant.',
      merchant: "What the merchant's record adds: only in the response that opens the session.",
      label: 'The label of the request, or null.',
      amount: 'The amount requested.',
      fee: 'What the customer pays in addition: `0.00` if the merchant pays the fee.',
      total: 'What the customer pays in total.',
      currency: 'Three capital letters (ISO 4217).',
      bearer: 'Who pays the fee.',
      isTest: 'True if no real money moves.',
      channels: { says: 'Channels offered.', known: [[...CHANNELS]] },
      networks: 'Mobile networks offered.',
      status: {
        says: '`failed` means over: expired, or out of attempts.',
        known: SESSION_STATUSES,
      },
      reasonForFailure: 'Reason of the last decline, if the session failed.',
      attemptsLeft: { says: 'Number of attempts left.', isCount: true },
      expiresAt: 'When the session ends.',
      extensionsLeft: {
        says: 'Number of extensions left. Absent if the service has none.',
        isCount: true,
      },
      now: "The service's clock.",
      completedAt: 'When it was paid; null before.',
      attempt: 'The newest attempt; null before the first.',
    },
  ),
  Network: component(networkSchema, 'A mobile network a customer may choose.', {
    operator: 'Identifier of the network.',
    name: 'Display name of the network.',
    country: 'Two lower-case letters.',
    callingCode: "The country's calling code, without `+`.",
    prefixes:
      'First digits of its national numbers, including the leading 0, such as `096`. Nine digits follow that 0.',
    dialCode:
      'What to dial to see an open request, such as `*000#`. Absent if there is none. Linked only if it is short and holds no letters and no PIN.',
    notice: {
      says: 'Set while the network has trouble; the form says so. Absent otherwise.',
      known: NETWORK_NOTICES,
    },
    typicalSeconds: {
      says: 'How long its customers usually take to pay, from the request to the result. Absent if not known.',
      isCount: true,
    },
    logo: 'A `data:` URL of a PNG or an SVG, drawn as an image. Without one, the form shows a letter.',
  }),
  MerchantRecord: component(merchantRecordSchema, "What a merchant's record adds to its name.", {
    logo: 'A `data:` URL of a PNG or an SVG, drawn as an image. Absent without a logo.',
    cardBrands: {
      says: 'Card brands accepted, in the order to show them.',
      known: [[...CARD_BRANDS]],
    },
  }),
  Attempt: component(
    attemptSchema,
    'One attempt with one card or phone. What another visitor typed is hidden.',
    {
      id: 'The id created by the frame.',
      channel: { says: 'The payment channel.', known: CHANNELS },
      status: {
        says: 'Status of the attempt. After `declined`, the session stays open.',
        known: ATTEMPT_STATUSES,
      },
      isYours: 'Whether this visitor began it.',
      reasonForFailure: 'Why it was declined.',
      expiresAt: 'When the prompt, code or challenge times out; null if none is pending.',
      challengeUrl: "Path of the bank's page, on the service's origin.",
      prompt: 'The phone that was prompted; null for a card.',
      card: "The card's brand and last four digits; null for a phone.",
      withdrawable: 'False once the network has rejected a cancellation of the prompt.',
      codesLeft: {
        says: 'Number of one-time codes left to try; null if none is required.',
        isCount: true,
      },
    },
  ),
  SessionGrant: component(sessionGrantSchema, 'A session and the token that opens it.', {
    token: 'Send it in a header, never in a URL. Only the newest one starts attempts.',
    session: 'The session.',
  }),
  Card: component(cardSchema, 'A card as typed, including spaces and dashes. Never stored.', {
    number: 'The number. In the sandbox: a test number.',
    expiry: 'Month and year, two digits each: `12/34`.',
    securityCode: 'The digits on the back.',
    name: 'Name on the card.',
  }),
  CardAttempt: component(cardAttemptSchema, 'One attempt with a card.', {
    id: 'A UUID that the caller creates. Sending it again never charges twice.',
    channel: 'Always `card`.',
    card: 'The card.',
    billing: 'Required by some cards.',
  }),
  MobileMoneyAttempt: component(mobileMoneyAttemptSchema, 'One attempt with a phone.', {
    id: 'A UUID that the caller creates. Sending it again never charges twice.',
    channel: 'Always `mobile-money`.',
    mobileMoney:
      'The network, as a session offers it, and the number as the form shows it behind the calling code: ' +
      'in groups and without the leading 0, such as `96 111 1111`. Accept other forms, too.',
  }),
  CreateAttempt: {
    schema: createAttemptSchema,
    description: 'One attempt with one card or phone.',
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
  OneTimeCode: component(oneTimeCodeSchema, 'The code sent to the customer.', {
    code: 'Four to eight digits, as typed.',
  }),
  Challenge: component(challengeSchema, 'What the card verification page shows.', {
    merchantName: 'Name of the merchant.',
    total: 'What the customer pays in total.',
    currency: 'Three capital letters (ISO 4217).',
    isOpen: 'Whether it can still be answered.',
  }),
  ChallengeChoice: component(challengeChoiceSchema, 'The decision on a card verification.', {
    answer: 'What the customer chose.',
  }),
  WebhookEvent: component(
    sentEventSchema,
    'The body of a webhook. Use its reference, then verify.',
    {
      event: { says: 'What happened. Return 200 to events you do not know.', known: EVENTS },
      data: 'The collection at that time.',
    },
  ),
  CollectionAnswer: responseOf(collectionSchema, 'One collection'),
  CollectionListAnswer: component(
    listEnvelopeSchema(collectionSchema),
    'A page of collections, in the envelope.',
    {
      status: STATUS,
      message: MESSAGE,
      data: 'Collections, newest first.',
      meta: 'Position of the page.',
    },
  ),
  SessionAnswer: responseOf(sessionSchema, 'A session'),
  SessionGrantAnswer: responseOf(sessionGrantSchema, 'A session and its token'),
  ChallengeStateAnswer: responseOf(challengeSchema, 'A card verification'),
  ChallengeChoiceAnswer: responseOf(challengeChoiceSchema, 'The recorded decision'),
} as const satisfies Record<string, Component>;
