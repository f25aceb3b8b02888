import { ATTEMPT_STATUSES, SESSION_STATUSES } from '@service-pay/contract/checkout-api';
import { collectionSchema } from '@service-pay/contract/collection';
import * as v from 'valibot';
import { happeningSchema } from '../history/history.ts';
import { merchantSettingsSchema } from '../payments/merchants.ts';
import { keptDeliverySchema } from '../webhooks/delivery.ts';

const textOrNull = v.nullable(v.string());

/** Where the clock stands. */
export const clockStateSchema = v.object({
  mode: v.picklist(['real', 'virtual']),
  now: v.string(),
});
export type ClockState = v.InferOutput<typeof clockStateSchema>;

/** Where the clock stands. `nextDueAt` is when something happens next by itself. */
export const clockViewSchema = v.object({ ...clockStateSchema.entries, nextDueAt: textOrNull });
export type ClockView = v.InferOutput<typeof clockViewSchema>;

/** A merchant without its secret. */
export const merchantViewSchema = v.object({
  publicKey: v.string(),
  ...v.omit(merchantSettingsSchema, ['apiToken']).entries,
  accountId: v.string(),
});
export type MerchantView = v.InferOutput<typeof merchantViewSchema>;

/**
 * One thing that is out on a handset. A prompt has a time it gives up at, a one-time code its
 * digits.
 */
export const outSchema = v.object({
  kind: v.picklist(['prompt', 'one-time-code']),
  merchant: v.string(),
  reference: v.string(),
  merchantName: v.string(),
  total: v.string(),
  currency: v.string(),
  expiresAt: textOrNull,
  code: textOrNull,
});
/** A pretend handset and what is out on it, oldest first. */
export const handsetSchema = v.object({
  number: v.string(),
  networkName: v.string(),
  country: v.string(),
  mode: clockStateSchema.entries.mode,
  now: v.string(),
  out: v.array(outSchema),
});
export type Handset = v.InferOutput<typeof handsetSchema>;

/**
 * How a payment went: `status` and `reasonForFailure` are those of its attempt, which still runs
 * where it waits for a person.
 */
export const payResultSchema = v.object({
  merchant: v.string(),
  reference: v.string(),
  status: v.picklist(ATTEMPT_STATUSES),
  reasonForFailure: textOrNull,
  collection: collectionSchema,
});
export type PayResult = v.InferOutput<typeof payResultSchema>;

/** Which prompt was answered. */
export const answeredSchema = v.object({ reference: v.string() });

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
 * One collection in a list of every merchant's. `instrument` is a national phone number, or the
 * brand and end of a card.
 */
export const rowSchema = v.object({
  merchant: v.string(),
  merchantName: v.string(),
  ...v.pick(collectionSchema, ROW_MEMBERS).entries,
  instrument: textOrNull,
});
export type CollectionRow = v.InferOutput<typeof rowSchema>;

/** What one attempt to deliver sent. */
export const sentRequestSchema = v.object({
  method: v.string(),
  url: v.string(),
  headers: v.record(v.string(), v.string()),
  body: v.string(),
});
/**
 * One try to deliver: what was sent, and what the receiver answered or why it gave no answer. `at`
 * is the sandbox's time, `tookMs` real. `body` is the first 64 kB of the answer, null once it had
 * to make room. `faults` says what was done to this one on purpose.
 */
export const deliveryAttemptSchema = v.object({
  at: v.string(),
  request: sentRequestSchema,
  status: v.nullable(v.number()),
  headers: v.record(v.string(), v.string()),
  body: textOrNull,
  error: textOrNull,
  tookMs: v.number(),
  faults: v.array(v.string()),
});
export type DeliveryAttempt = v.InferOutput<typeof deliveryAttemptSchema>;

/**
 * One event on its way to one address (D40–D42). `dropped` was lost on purpose. `repeats` is the
 * delivery this one was copied from, by a fault or, where `isReplay`, by hand; `faults` says what
 * is done to it on purpose, a sentence each.
 */
export const deliverySchema = v.object({
  ...v.omit(keptDeliverySchema, ['treatment', 'dueAt', 'plan', 'isHeld', 'behind', 'attempts'])
    .entries,
  nextAttemptAt: textOrNull,
  faults: v.array(v.string()),
  attempts: v.array(deliveryAttemptSchema),
});
export type Delivery = v.InferOutput<typeof deliverySchema>;

/** One attempt as its story shows it. `expiresAt` is when what it waits for gives up by itself. */
export const attemptViewSchema = v.object({
  id: v.string(),
  channel: v.string(),
  status: v.string(),
  reasonForFailure: textOrNull,
  instrument: textOrNull,
  expiresAt: textOrNull,
});
export type AttemptView = v.InferOutput<typeof attemptViewSchema>;

/** A session as its story shows it. */
export const sessionViewSchema = v.object({
  status: v.picklist(SESSION_STATUSES),
  amount: v.string(),
  currency: v.string(),
  expiresAt: v.string(),
  attemptsLeft: v.number(),
  email: textOrNull,
});
/**
 * Everything the sandbox knows of one reference. `collection` is null before the first attempt
 * (D35); `story` is what is kept of it.
 */
export const storySchema = v.object({
  merchant: v.string(),
  merchantName: v.string(),
  collection: v.nullable(collectionSchema),
  session: sessionViewSchema,
  attempts: v.array(attemptViewSchema),
  story: v.array(happeningSchema),
  deliveries: v.array(deliverySchema),
});
export type CollectionStory = v.InferOutput<typeof storySchema>;

/** One scenario. */
export const scenarioSchema = v.object({
  name: v.string(),
  summary: v.string(),
  steps: v.array(v.string()),
  shop: v.string(),
});
/**
 * Which scenario waits for the next payment: of the merchant `armedFor`, or of any where that is
 * null.
 */
export const armedSchema = v.object({ armed: textOrNull, armedFor: textOrNull });

/** The scenarios there are, and what is armed. */
export const scenarioListSchema = v.object({
  scenarios: v.array(scenarioSchema),
  ...armedSchema.entries,
});
export type ScenarioList = v.InferOutput<typeof scenarioListSchema>;

/** An answer without data. */
export const noDataSchema = v.object({});
