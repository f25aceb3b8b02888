import { collectionSchema } from '@service-pay/contract/collection';
import * as v from 'valibot';

import { happeningSchema } from './history.ts';
import { merchantSettingsSchema } from './merchants.ts';

const textOrNull = v.nullable(v.string());

/** Where the clock stands. */
export const clockStateSchema = v.object({ mode: v.picklist(['real', 'virtual']), now: v.string() });
/** Where the clock stands, and when something happens next. */
export const clockViewSchema = v.object({ ...clockStateSchema.entries, nextDueAt: textOrNull });

const { apiToken: _, ...shownSettings } = merchantSettingsSchema.entries;
/** A merchant without its secret. */
export const merchantSchema = v.object({ publicKey: v.string(), ...shownSettings, accountId: v.string() });

/** What is out on a handset. */
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
/** A handset. */
export const handsetSchema = v.object({
  number: v.string(),
  networkName: v.string(),
  country: v.string(),
  mode: clockStateSchema.entries.mode,
  now: v.string(),
  out: v.array(outSchema),
});
/** Which prompt was answered. */
export const answeredSchema = v.object({ reference: v.string() });

const { reference, id, amount, currency, type, status, initiatedAt, completedAt, reasonForFailure } = collectionSchema.entries;
/** One collection in the list of every merchant. */
export const rowSchema = v.object({
  merchant: v.string(),
  merchantName: v.string(),
  ...{ reference, id, amount, currency, type, status, initiatedAt, completedAt, reasonForFailure },
  instrument: textOrNull,
});
/** What one attempt to deliver sent. */
export const sentRequestSchema = v.object({
  method: v.string(),
  url: v.string(),
  headers: v.record(v.string(), v.string()),
  body: v.string(),
});
/** One attempt to deliver. */
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
/** One webhook. */
export const deliverySchema = v.object({
  id: v.string(),
  event: v.string(),
  merchant: v.string(),
  reference: v.string(),
  url: v.string(),
  createdAt: v.string(),
  body: v.string(),
  repeats: textOrNull,
  isReplay: v.boolean(),
  status: v.picklist(['waiting', 'acknowledged', 'given-up', 'dropped']),
  nextAttemptAt: textOrNull,
  faults: v.array(v.string()),
  attempts: v.array(deliveryAttemptSchema),
});
/** One attempt of a payment. */
export const keptAttemptSchema = v.object({
  id: v.string(),
  channel: v.string(),
  status: v.string(),
  reasonForFailure: textOrNull,
  instrument: textOrNull,
  expiresAt: textOrNull,
});
/** The session of a payment. */
export const keptSessionSchema = v.object({
  status: v.string(),
  amount: v.string(),
  currency: v.string(),
  expiresAt: v.string(),
  attemptsLeft: v.number(),
});
/** Everything known of one reference. */
export const storySchema = v.object({
  merchant: v.string(),
  merchantName: v.string(),
  collection: v.nullable(collectionSchema),
  session: keptSessionSchema,
  attempts: v.array(keptAttemptSchema),
  story: v.array(happeningSchema),
  deliveries: v.array(deliverySchema),
});
/** One scenario. */
export const scenarioSchema = v.object({ name: v.string(), summary: v.string(), steps: v.array(v.string()), shop: v.string() });
/** What is armed. */
export const armedSchema = v.object({ armed: textOrNull, armedFor: textOrNull });
/** The scenarios and what is armed. */
export const scenarioListSchema = v.object({ scenarios: v.array(scenarioSchema), ...armedSchema.entries });
/** An answer without data. */
export const nothingSchema = v.object({});
