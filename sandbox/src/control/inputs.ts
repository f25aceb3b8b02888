import { CARD_BRANDS } from '@service-pay/contract/checkout-api';
import { COLLECTION_STATUSES, timestampSchema } from '@service-pay/contract/collection';
import { currencySchema, decimalSchema } from '@service-pay/contract/money';
import { CHANNELS, REQUEST_RULES } from '@service-pay/contract/payment-request';
import { emailSchema, referenceSchema } from '@service-pay/contract/payment-request-schema';
import { EVENTS } from '@service-pay/contract/webhook';
import * as v from 'valibot';
import { faultSettingsSchema } from '../faults/fault-settings.ts';
import { merchantSettingsSchema } from '../payments/merchant-settings.ts';
import { DEMO_MERCHANTS } from '../payments/merchants.ts';
import { placedCollectionSchema } from '../payments/place-collection.ts';
import { described } from './described.ts';

const LONGEST_ADVANCE_S = 10 * 366 * 24 * 60 * 60;

export const MOST_REPLAYS = 1_000;

export const TIME = "ISO 8601, by the sandbox's clock.";

export const placedCollection = described(
  'PlacedCollection',
  placedCollectionSchema,
  'A collection in any state that a server could run into, including unknown values. The sandbox fills in missing fields.',
  {
    merchant: 'Public key of its merchant.',
    reference: 'Its reference, which must be unused.',
    id: 'Its id.',
    initiatedAt: TIME,
    completedAt: TIME,
    amount: 'The requested amount.',
    fee: 'By default 2.5 % if it was paid.',
    bearer: 'Who bears the fee.',
    currency: "By default the merchant's.",
    serviceReference: "The service's reference.",
    type: { says: 'The payment channel.', known: CHANNELS },
    status: { says: 'Its status.', known: COLLECTION_STATUSES },
    source: 'Its source.',
    reasonForFailure: 'Why it failed.',
    settlementStatus: 'The status of its payout.',
    settlement: 'Its payout, or a part of it.',
    mobileMoneyDetails: 'The mobile money payer, or a part of it.',
    bankAccountDetails: 'Any object.',
    cardDetails: 'The stored card details, or a part of them.',
    notify:
      "Sends the webhook if the merchant's `events` include it. Only for `successful` and `failed`.",
  },
);

const numberText = v.optional(v.pipe(v.string(), v.maxLength(64, 'must be at most 64 characters')));
export const payment = described(
  'PayRequest',
  v.strictObject({
    merchant: v.optional(v.string(), DEMO_MERCHANTS[0].publicKey),
    reference: referenceSchema,
    amount: decimalSchema,
    currency: v.optional(currencySchema),
    email: v.optional(emailSchema, 'customer@shop.example'),
    card: numberText,
    phone: numberText,
    approve: v.optional(v.boolean()),
  }),
  'A payment by a customer. Uses the successful card if neither card nor phone is given.',
  {
    merchant: 'Public key of the merchant.',
    reference: "The merchant's reference.",
    amount: 'The amount to pay.',
    currency: "By default the merchant's.",
    email: "The customer's e-mail address.",
    card: 'A test card number.',
    phone: 'A phone number of a network of this currency.',
    approve:
      "The customer's answer to a challenge, a one-time code or a prompt. If missing, it stays unanswered.",
  },
);
export type PayInput = v.InferOutput<typeof payment.schema>;

export const advance = described(
  'Advance',
  v.strictObject({
    seconds: v.pipe(
      v.number(),
      v.finite('must be a finite number'),
      v.minValue(0, 'must not be below 0'),
      v.maxValue(LONGEST_ADVANCE_S, 'must be at most ten years'),
    ),
  }),
  'A step of the clock.',
  { seconds: 'Seconds, with fractions; at most ten years.' },
);

export const clockSetting = described(
  'ClockSetting',
  v.strictObject({ mode: v.picklist(['real', 'virtual']), now: v.optional(timestampSchema) }),
  'A setting of the clock.',
  {
    mode: 'A virtual clock is stopped until it is advanced.',
    now: "The virtual clock's new time, not before its current time.",
  },
);

export const promptChoice = described(
  'PromptChoice',
  v.strictObject({ reference: v.optional(referenceSchema), merchant: v.optional(v.string()) }),
  'The prompt to answer.',
  {
    reference: 'Its reference; by default the newest prompt.',
    merchant: 'Public key of its merchant; by default any.',
  },
);

export const SETTINGS_WORDS = {
  name: 'The name customers see.',
  logo: 'A `data:` URL of a PNG or SVG of at most 8 kB, or null.',
  cardBrands: {
    says: 'Card brands it accepts, in the order to show them.',
    known: [[...CARD_BRANDS]],
  },
  webhookUrl: 'Receives its webhooks; null sends none.',
  bearer: 'Who bears the fee; null lets the request decide.',
  defaultCurrency: 'Three capital letters.',
  allowedOrigins: 'Origins of pages that may frame the checkout page, or `*`.',
  channels: 'Channels it accepts.',
  events: { says: 'Events sent to it.', known: [[...EVENTS]] },
  networkNotices: 'Networks shown to its customers as `slow` or `down`, by operator.',
} as const;

export const merchantSettings = described(
  'MerchantSettings',
  v.strictObject(v.partial(merchantSettingsSchema).entries),
  'Settings to change. Others keep their values.',
  { ...SETTINGS_WORDS, apiToken: 'Its secret API token. A new merchant needs one.' },
);

export const faultSettings = described(
  'FaultSettings',
  faultSettingsSchema,
  'Faults by part of the sandbox, each with a rate from 0 to 1.',
  {
    merchantApi: 'The merchant API.',
    checkoutApi: 'The checkout API.',
    checkoutPage: 'The page in the frame.',
    script: 'The script.',
    webhooks: 'Webhooks.',
    seed: 'The same seed and calls give the same faults.',
  },
);

export const armRequest = described(
  'ArmRequest',
  v.strictObject({
    merchant: v.optional(
      v.pipe(v.string(), v.regex(REQUEST_RULES.key.pattern, 'must be a public key')),
    ),
  }),
  'The merchant to arm a scenario for.',
  { merchant: 'Public key of the merchant; by default any.' },
);

const TIMES_RULE = 'must be a whole number from 1 to 100';
const timesSchema = v.optional(
  v.pipe(v.number(), v.integer(TIMES_RULE), v.minValue(1, TIMES_RULE), v.maxValue(100, TIMES_RULE)),
  1,
);
const urlSchema = v.optional(
  v.pipe(v.string(), v.maxLength(2048, 'must be at most 2048 characters')),
);

export const replay = described(
  'Replay',
  v.strictObject({ times: timesSchema, url: urlSchema }),
  'A replay of one webhook.',
  {
    times: 'The number of copies, sent at once.',
    url: 'Replaces its URL; on this machine or on a host that the sandbox was started with.',
  },
);

export const replays = described(
  'Replays',
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
  'A replay of several webhooks, one after another.',
  {
    ids: 'Ids of webhooks.',
    reference: "Replays this reference's webhooks. Without ids and reference, all.",
    times: 'The number of copies of each.',
    shuffle: 'Sends them in a random order that depends on the seed.',
    url: 'Replaces their URLs.',
  },
);
