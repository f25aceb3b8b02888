import { ATTEMPT_STATUSES, SESSION_STATUSES } from '@service-pay/contract/checkout-api';
import { collectionSchema } from '@service-pay/contract/collection';
import * as v from 'valibot';
import { happeningSchema } from '../history/history.ts';
import { merchantSettingsSchema } from '../payments/merchants.ts';
import { deliverySchema } from '../webhooks/delivery.ts';

export {
  armedSchema,
  type ScenarioList,
  scenarioListSchema,
  scenarioSchema,
} from '../faults/scenario-list.ts';
export {
  type Delivery,
  type DeliveryAttempt,
  deliveryAttemptSchema,
  deliverySchema,
  sentRequestSchema,
} from '../webhooks/delivery.ts';

const textOrNull = v.nullable(v.string());

export const clockStateSchema = v.object({
  mode: v.picklist(['real', 'virtual']),
  now: v.string(),
});
export type ClockState = v.InferOutput<typeof clockStateSchema>;

/** The clock's state. `nextDueAt` is when the next event runs by itself. */
export const clockViewSchema = v.object({ ...clockStateSchema.entries, nextDueAt: textOrNull });
export type ClockView = v.InferOutput<typeof clockViewSchema>;

export const merchantViewSchema = v.object({
  publicKey: v.string(),
  ...v.omit(merchantSettingsSchema, ['apiToken']).entries,
  accountId: v.string(),
});
export type MerchantView = v.InferOutput<typeof merchantViewSchema>;

/** A prompt with the time it expires, or a one-time code with its digits. */
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
 * The result of `pay`. `status` and `reasonForFailure` are the attempt's; it is still running if it
 * waits for a person.
 */
export const payResultSchema = v.object({
  merchant: v.string(),
  reference: v.string(),
  status: v.picklist(ATTEMPT_STATUSES),
  reasonForFailure: textOrNull,
  collection: collectionSchema,
});
export type PayResult = v.InferOutput<typeof payResultSchema>;

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
 * One row in the list of all merchants' collections. `instrument` is a national phone number, or a
 * card's brand and last digits.
 */
export const rowSchema = v.object({
  merchant: v.string(),
  merchantName: v.string(),
  ...v.pick(collectionSchema, ROW_MEMBERS).entries,
  instrument: textOrNull,
});
export type CollectionRow = v.InferOutput<typeof rowSchema>;

/** One attempt of a collection. `expiresAt` is when its current wait ends by itself. */
export const attemptViewSchema = v.object({
  id: v.string(),
  channel: v.string(),
  status: v.string(),
  reasonForFailure: textOrNull,
  instrument: textOrNull,
  expiresAt: textOrNull,
});
export type AttemptView = v.InferOutput<typeof attemptViewSchema>;

export const sessionViewSchema = v.object({
  status: v.picklist(SESSION_STATUSES),
  amount: v.string(),
  currency: v.string(),
  expiresAt: v.string(),
  attemptsLeft: v.number(),
  email: textOrNull,
});
/**
 * Everything the sandbox knows about one reference. `collection` is null before the first attempt
 * (D35).
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

export const noDataSchema = v.object({});
