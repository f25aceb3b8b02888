import { EVENTS } from '@service-pay/contract/webhook';
import * as v from 'valibot';

import { treatmentSchema } from '../faults/treatment.ts';

const textOrNull = v.nullable(v.string());
const textsSchema = v.record(v.string(), v.string());

const keptAttemptSchema = v.strictObject({
  at: v.string(),
  signature: v.nullable(v.string()),
  sentBody: v.optional(v.string()),
  faults: v.optional(v.array(v.string())),
  status: v.nullable(v.number()),
  headers: textsSchema,
  body: v.nullable(v.string()),
  error: v.nullable(v.string()),
  tookMs: v.number(),
});
export type KeptAttempt = v.InferOutput<typeof keptAttemptSchema>;

/**
 * One event on its way to one URL, with everything the sender needs to continue after a restart.
 */
export const keptDeliverySchema = v.strictObject({
  id: v.string(),
  event: v.picklist(EVENTS),
  merchant: v.string(),
  reference: v.string(),
  url: v.string(),
  createdAt: v.string(),
  body: v.string(),
  repeats: v.nullable(v.string()),
  isReplay: v.boolean(),
  treatment: treatmentSchema,
  status: v.picklist(['waiting', 'acknowledged', 'given-up', 'dropped']),
  /** The next attempt in milliseconds; null during an attempt and after the last. */
  dueAt: v.nullable(v.number()),
  plan: v.nullable(v.number()),
  /** Held back for another delivery (`waitsFor`); `behind` is its id once it exists. */
  isHeld: v.boolean(),
  behind: v.nullable(v.string()),
  attempts: v.array(keptAttemptSchema),
});
export type KeptDelivery = v.InferOutput<typeof keptDeliverySchema>;

export const sentRequestSchema = v.object({
  method: v.string(),
  url: v.string(),
  headers: v.record(v.string(), v.string()),
  body: v.string(),
});
/**
 * One attempt to deliver a webhook: the request, and the response or why there was none. `at` is in
 * the sandbox's time, `tookMs` in real time. `body` is the response's first 64 kB, null once
 * dropped to save space. `faults` lists the faults injected.
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
 * One event on its way to one URL (D40–D42). `dropped` means lost by a fault. `repeats` is the
 * delivery this one copies, because of a fault or, with `isReplay`, by hand. `faults` describes the
 * faults injected, one sentence each.
 */
export const deliverySchema = v.object({
  ...v.omit(keptDeliverySchema, ['treatment', 'dueAt', 'plan', 'isHeld', 'behind', 'attempts'])
    .entries,
  nextAttemptAt: textOrNull,
  faults: v.array(v.string()),
  attempts: v.array(deliveryAttemptSchema),
});
export type Delivery = v.InferOutput<typeof deliverySchema>;
