import { ERROR_CODES, type ErrorCode } from '@service-pay/contract/envelope';
import * as v from 'valibot';

const LONGEST_DELAY_S = 366 * 24 * 60 * 60;
const DELAY_RULE = 'must be from 0 to 31622400, or { min, max } of these';

const rateSchema = v.pipe(
  v.number(),
  v.minValue(0, 'must be from 0 to 1'),
  v.maxValue(1, 'must be from 0 to 1'),
);

export const FAULT_KINDS = [
  'latency',
  'status',
  'hang',
  'reset',
  'truncate',
  'garbage',
  'drip',
  'change',
] as const;
export type FaultKind = (typeof FAULT_KINDS)[number];

/** Fields of a collection, which a service or a cache mixed up. */
const changesSchema = v.strictObject({
  reference: v.optional(v.string()),
  status: v.optional(v.string()),
  amount: v.optional(v.string()),
  currency: v.optional(v.string()),
});

/**
 * A fault that affects the share `rate` of calls. `latencyMs` delays the response, or each byte of
 * a drip; `changes` are what a `change` replaces.
 */
const faultSchema = v.strictObject({
  rate: rateSchema,
  kind: v.picklist(FAULT_KINDS),
  latencyMs: v.optional(
    v.pipe(
      v.number(),
      v.minValue(0, 'must be from 0 to 600000'),
      v.maxValue(600_000, 'must be from 0 to 600000'),
    ),
  ),
  status: v.optional(
    v.pipe(
      v.number(),
      v.integer('must be a whole number'),
      v.minValue(400, 'must be from 400 to 599'),
      v.maxValue(599, 'must be from 400 to 599'),
    ),
  ),
  errorCode: v.optional(v.picklist(Object.keys(ERROR_CODES) as ErrorCode[])),
  changes: v.optional(changesSchema),
});

const delaySchema = v.pipe(
  v.number(),
  v.minValue(0, DELAY_RULE),
  v.maxValue(LONGEST_DELAY_S, DELAY_RULE),
);

/** Faults of webhooks: rates from 0 to 1, and a delay in seconds of the sandbox's time. */
const webhookFaultsSchema = v.strictObject({
  drop: v.optional(rateSchema),
  duplicate: v.optional(rateSchema),
  delaySeconds: v.optional(
    v.union(
      [
        delaySchema,
        v.pipe(
          v.strictObject({ min: delaySchema, max: delaySchema }),
          v.check(({ min, max }) => min <= max, 'must not have a min above its max'),
        ),
      ],
      DELAY_RULE,
    ),
  ),
  shuffle: v.optional(rateSchema),
  tamper: v.optional(rateSchema),
});

/**
 * The body of `PUT /_sandbox/faults`: faults by API, webhook faults, and a seed that repeats them.
 */
export const faultSettingsSchema = v.strictObject({
  merchantApi: v.optional(faultSchema),
  checkoutApi: v.optional(faultSchema),
  checkoutPage: v.optional(faultSchema),
  script: v.optional(faultSchema),
  webhooks: v.optional(webhookFaultsSchema),
  seed: v.optional(v.pipe(v.number(), v.safeInteger('must be a whole number'))),
});
export type Fault = v.InferOutput<typeof faultSchema>;
export type FaultSettings = v.InferOutput<typeof faultSettingsSchema>;

export type WebhookFault = Exclude<keyof NonNullable<FaultSettings['webhooks']>, 'delaySeconds'>;
export type FaultyPart = Exclude<keyof FaultSettings, 'webhooks' | 'seed'>;
