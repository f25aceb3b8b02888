import { timestampSchema } from '@service-pay/contract/collection';
import { currencySchema, decimalSchema } from '@service-pay/contract/money';
import { REQUEST_RULES } from '@service-pay/contract/payment-request';
import { referenceSchema } from '@service-pay/contract/payment-request-schema';
import * as v from 'valibot';
import { DEMO_MERCHANTS, merchantSettingsSchema } from '../payments/merchants.ts';

const LONGEST_ADVANCE_S = 10 * 366 * 24 * 60 * 60;

export const MOST_REPLAYS = 1_000;

const numberText = v.optional(v.pipe(v.string(), v.maxLength(64, 'must be at most 64 characters')));
export const paySchema = v.strictObject({
  merchant: v.optional(v.string(), DEMO_MERCHANTS[0].publicKey),
  reference: referenceSchema,
  amount: decimalSchema,
  currency: v.optional(currencySchema),
  email: v.optional(v.string(), 'customer@shop.example'),
  card: numberText,
  phone: numberText,
  approve: v.optional(v.boolean()),
});
export type PayInput = v.InferOutput<typeof paySchema>;

export const advanceSchema = v.strictObject({
  seconds: v.pipe(
    v.number(),
    v.finite('must be a finite number'),
    v.minValue(0, 'must not be below 0'),
    v.maxValue(LONGEST_ADVANCE_S, 'must be at most ten years'),
  ),
});

export const clockSchema = v.strictObject({
  mode: v.picklist(['real', 'virtual']),
  now: v.optional(timestampSchema),
});

export const promptSchema = v.optional(
  v.strictObject({ reference: v.optional(referenceSchema) }),
  {},
);

export const settingsSchema = v.optional(
  v.strictObject(v.partial(merchantSettingsSchema).entries),
  {},
);

const TIMES_RULE = 'must be a whole number from 1 to 100';
const timesSchema = v.optional(
  v.pipe(v.number(), v.integer(TIMES_RULE), v.minValue(1, TIMES_RULE), v.maxValue(100, TIMES_RULE)),
  1,
);
const urlSchema = v.optional(
  v.pipe(v.string(), v.maxLength(2048, 'must be at most 2048 characters')),
);

export const replaySchema = v.optional(v.strictObject({ times: timesSchema, url: urlSchema }), {});

export const replaysSchema = v.optional(
  v.strictObject({
    ids: v.optional(
      v.pipe(
        v.array(v.pipe(v.string(), v.maxLength(64, 'must be an id'))),
        v.maxLength(MOST_REPLAYS, `must be at most ${MOST_REPLAYS} ids`),
      ),
    ),
    reference: v.optional(referenceSchema),
    times: timesSchema,
    shuffle: v.optional(v.boolean(), false),
    url: urlSchema,
  }),
  {},
);

export const armSchema = v.optional(
  v.strictObject({
    merchant: v.optional(
      v.pipe(v.string(), v.regex(REQUEST_RULES.key.pattern, 'must be a public key')),
    ),
  }),
  {},
);
