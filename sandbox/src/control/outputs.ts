import { ATTEMPT_STATUSES, SESSION_STATUSES } from '@service-pay/contract/checkout-api';
import { COLLECTION_STATUSES, collectionSchema } from '@service-pay/contract/collection';
import { CHANNELS } from '@service-pay/contract/payment-request';
import * as v from 'valibot';
import { armedSchema, scenarioListSchema, scenarioSchema } from '../faults/scenario-schemas.ts';
import { merchantSettingsSchema } from '../payments/merchant-settings.ts';
import { HAPPENING_KINDS, happeningSchema } from '../storage/history.ts';
import { deliveryAttemptSchema, deliverySchema, sentRequestSchema } from '../webhooks/delivery.ts';
import { type Described, described } from './described.ts';
import { SETTINGS_WORDS, TIME } from './inputs.ts';

export type { ScenarioList } from '../faults/scenario-schemas.ts';
export type { Delivery, DeliveryAttempt } from '../webhooks/delivery.ts';

const textOrNull = v.nullable(v.string());
const OWNER = { merchant: 'Its public key.', reference: "The merchant's reference." } as const;

export const nothing = described('Nothing', v.object({}), 'No data.', {});

/** Described in the contract; `isOurs` leaves it out of these components. */
export const collection: Described<typeof collectionSchema> = {
  name: 'Collection',
  schema: collectionSchema,
  description: '',
  members: {},
};

export const clockState = described(
  'ClockState',
  v.object({ mode: v.picklist(['real', 'virtual']), now: v.string() }),
  "The clock's state.",
  { mode: 'Real or virtual.', now: TIME },
);
export type ClockState = v.InferOutput<typeof clockState.schema>;

export const clockView = described(
  'ClockView',
  v.object({ ...clockState.schema.entries, nextDueAt: textOrNull }),
  "The clock's state and its next event.",
  {
    mode: 'Real or virtual.',
    now: TIME,
    nextDueAt: 'When the next event runs by itself; null if none is planned.',
  },
);
export type ClockView = v.InferOutput<typeof clockView.schema>;

export const merchantView = described(
  'Merchant',
  v.object({
    publicKey: v.string(),
    ...v.omit(merchantSettingsSchema, ['apiToken']).entries,
    accountId: v.string(),
  }),
  'A merchant, without its API token.',
  { ...SETTINGS_WORDS, publicKey: 'Its public key.', accountId: 'The account of its payouts.' },
);
export type MerchantView = v.InferOutput<typeof merchantView.schema>;

/** A prompt with the time it expires, or a one-time code with its digits. */
export const out = described(
  'Out',
  v.object({
    kind: v.picklist(['prompt', 'one-time-code']),
    merchant: v.string(),
    reference: v.string(),
    merchantName: v.string(),
    total: v.string(),
    currency: v.string(),
    expiresAt: textOrNull,
    code: textOrNull,
  }),
  'A message to a customer.',
  {
    kind: 'A prompt or a one-time code.',
    ...OWNER,
    merchantName: "The merchant's name.",
    total: 'The amount to pay.',
    currency: 'Three capital letters.',
    expiresAt: 'When a prompt expires.',
    code: 'The digits of a one-time code.',
  },
);
export const handset = described(
  'Handset',
  v.object({
    number: v.string(),
    networkName: v.string(),
    country: v.string(),
    mode: clockState.schema.entries.mode,
    now: v.string(),
    out: v.array(out.schema),
  }),
  'A test phone with its prompts and codes.',
  {
    number: 'The national number.',
    networkName: 'Its network.',
    country: 'Two lower-case letters.',
    mode: "The clock's mode.",
    now: TIME,
    out: 'Its open prompts and codes, oldest first.',
  },
);
export type Handset = v.InferOutput<typeof handset.schema>;

export const payResult = described(
  'PayResult',
  v.object({
    merchant: v.string(),
    reference: v.string(),
    status: v.picklist(ATTEMPT_STATUSES),
    reasonForFailure: textOrNull,
    collection: collectionSchema,
  }),
  'The result of a payment.',
  {
    merchant: 'Public key of the merchant.',
    reference: "The merchant's reference.",
    status: "The attempt's status.",
    reasonForFailure: 'Why the attempt was declined; null if it was not.',
    collection: 'The collection.',
  },
);
/**
 * The result of `pay`. `status` and `reasonForFailure` are the attempt's; it is still running if it
 * waits for a person.
 */
export type PayResult = v.InferOutput<typeof payResult.schema>;

export const answered = described(
  'Answered',
  v.object({ reference: v.string() }),
  'The prompt that was answered.',
  { reference: 'Its reference.' },
);

export const scenario = described('Scenario', scenarioSchema, 'A scripted payment.', {
  name: 'Its name.',
  summary: 'What goes wrong.',
  steps: 'Steps to reproduce it.',
  shop: 'What a correct shop does.',
});
export const armed = described('Armed', armedSchema, 'The scenario of the next payment.', {
  armed: 'The scenario; null for none.',
  armedFor: 'Public key of the merchant; null for any.',
});
export const scenarioList = described(
  'ScenarioList',
  scenarioListSchema,
  'All scenarios, and the one that is armed.',
  {
    scenarios: 'Every one.',
    armed: 'The scenario of the next payment; null for none.',
    armedFor: 'Public key of the merchant; null for any.',
  },
);

export const delivery = described('Delivery', deliverySchema, 'One event on its way to one URL.', {
  id: 'Its id, for replays.',
  event: 'The event.',
  ...OWNER,
  url: 'Its destination.',
  createdAt: TIME,
  body: 'The signed text.',
  repeats: 'The delivery it was copied from; null for an original.',
  isReplay: 'True if someone replayed it.',
  status: '`dropped` means lost by a fault, `given-up` never acknowledged.',
  nextAttemptAt: 'The time of the next attempt; null if there is none.',
  faults: 'The faults injected, one sentence each.',
  attempts: 'Its attempts to deliver, oldest first.',
});
export const deliveryAttempt = described(
  'DeliveryAttempt',
  deliveryAttemptSchema,
  'One attempt to deliver.',
  {
    at: TIME,
    request: 'The request.',
    status: { says: "The response's status; null without a response.", isCount: true },
    headers: "The response's most useful headers.",
    body: 'The first 64 kB of the response; null once dropped to save space.',
    error: 'Why it was not acknowledged; null if it was.',
    tookMs: { says: 'Its duration in real time.', isCount: true },
    faults: 'The faults injected into this attempt.',
  },
);
export const sentRequest = described(
  'SentRequest',
  sentRequestSchema,
  'A request that the sandbox made.',
  {
    method: 'Its method.',
    url: 'Its destination.',
    headers: 'Its headers, the signature included.',
    body: 'Its body.',
  },
);

const ROW_MEMBERS = [
  'reference',
  'id',
  'amount',
  'currency',
  'type',
  'status',
  'initiatedAt',
  'completedAt',
  'reasonForFailure',
] as const;
/**
 * One row in the list of all merchants' collections. `instrument` is a national phone number, or a
 * card's brand and last digits.
 */
export const row = described(
  'CollectionRow',
  v.object({
    merchant: v.string(),
    merchantName: v.string(),
    ...v.pick(collectionSchema, ROW_MEMBERS).entries,
    instrument: textOrNull,
  }),
  "One collection in a list of every merchant's.",
  {
    ...OWNER,
    merchantName: "The merchant's name.",
    id: 'Identifier of the collection.',
    amount: 'The requested amount.',
    currency: 'Three capital letters.',
    type: { says: 'The payment channel.', known: CHANNELS },
    status: { says: 'Its status.', known: COLLECTION_STATUSES },
    initiatedAt: TIME,
    completedAt: TIME,
    reasonForFailure: 'Why it failed; null if it did not.',
    instrument:
      "A national phone number, or a card's brand and last digits; null if neither is known.",
  },
);
export type CollectionRow = v.InferOutput<typeof row.schema>;

/** One attempt of a collection. `expiresAt` is when its current wait ends by itself. */
export const attemptView = described(
  'AttemptView',
  v.object({
    id: v.string(),
    channel: v.string(),
    status: v.string(),
    reasonForFailure: textOrNull,
    instrument: textOrNull,
    expiresAt: textOrNull,
  }),
  "One attempt in a collection's story.",
  {
    id: 'The id that the frame chose.',
    channel: { says: 'The payment channel.', known: CHANNELS },
    status: 'Its status.',
    reasonForFailure: 'Why it was declined.',
    instrument: "A national phone number, or a card's brand and last digits.",
    expiresAt: 'When its current wait ends by itself.',
  },
);
export type AttemptView = v.InferOutput<typeof attemptView.schema>;

export const sessionView = described(
  'SessionView',
  v.object({
    status: v.picklist(SESSION_STATUSES),
    amount: v.string(),
    currency: v.string(),
    expiresAt: v.string(),
    attemptsLeft: v.number(),
    email: textOrNull,
  }),
  "A session in a collection's story.",
  {
    status: 'Its status.',
    amount: 'The requested amount.',
    currency: 'Three capital letters.',
    expiresAt: TIME,
    attemptsLeft: { says: 'The number of attempts left.', isCount: true },
    email: "The customer's e-mail address; null for a placed collection.",
  },
);
/**
 * Everything the sandbox knows about one reference. `collection` is null before the first attempt
 * (D35).
 */
export const story = described(
  'CollectionStory',
  v.object({
    merchant: v.string(),
    merchantName: v.string(),
    collection: v.nullable(collectionSchema),
    session: sessionView.schema,
    attempts: v.array(attemptView.schema),
    story: v.array(happeningSchema),
    deliveries: v.array(deliverySchema),
  }),
  'Everything known about one reference.',
  {
    merchant: 'Its public key.',
    merchantName: "The merchant's name.",
    collection: 'The collection; null before the first attempt.',
    session: 'Its session at the checkout page.',
    attempts: 'The attempts to pay, oldest first.',
    story: 'Its events, oldest first.',
    deliveries: 'Its webhooks, oldest first.',
  },
);
export type CollectionStory = v.InferOutput<typeof story.schema>;

export const happening = described(
  'Happening',
  happeningSchema,
  'One thing that happened. Never holds a token, a card number or a code.',
  {
    seq: 'Its number, starting at 1.',
    at: TIME,
    kind: { says: 'Its subject.', known: HAPPENING_KINDS },
    merchant: 'Public key; null if it concerns no merchant.',
    reference: 'Null if it concerns no reference.',
    summary: 'One sentence.',
    detail: 'A few facts; null for none.',
  },
);

/** What appears inside the others. */
export const PARTS: readonly Described[] = [
  ...[out, scenario, deliveryAttempt, sentRequest, attemptView, sessionView, happening],
];
