import * as v from 'valibot';

import { timestampSchema } from './collection.ts';
import { currencySchema, decimalSchema } from './money.ts';
import { bearerSchema, billingSchema, paymentRequestSchema } from './payment-request-schema.ts';

/**
 * Paths of the checkout API, for the frame alone. All but the first need `Authorization: Bearer
 * <session token>`.
 */
export const CHECKOUT_PATHS = {
  sessions: '/checkout/v1/sessions',
  session: '/checkout/v1/sessions/current',
  attempts: '/checkout/v1/sessions/current/attempts',
  /**
   * `POST` of an empty object restarts a session's time, while any `extensionsLeft` is (D37).
   * Responds with `sessionSchema`.
   */
  extension: '/checkout/v1/sessions/current/extension',
} as const;

/**
 * States of a session. `failed` means over: expired, or out of attempts (D37). A frame treats any
 * other word as not known yet.
 */
export const SESSION_STATUSES = ['open', 'successful', 'failed'] as const;

/** States of an attempt. `declined` leaves the session open (D31). */
export const ATTEMPT_STATUSES = [
  'pending',
  '3ds-auth-required',
  'otp-required',
  'pay-offline',
  'declined',
  'successful',
] as const;

/**
 * The reason of an attempt whose prompt the customer cancelled with `POST
 * …/attempts/:id/withdrawal`, without a body (D47). Responds with `sessionSchema`: the attempt is
 * `declined` with this reason, or still `pay-offline` with `withdrawable: false`, or had ended
 * before. A duplicate call gets the same response.
 */
export const WITHDRAWN_REASON = 'Withdrawn by customer';

/**
 * Opens a session for the payment request that the page passed. Responds with `sessionGrantSchema`.
 * With the token of an earlier visit in `Authorization`, that visit continues (D25). Opening a
 * session cancels attempts that were sent before and have not arrived: the service rejects them
 * with 401·09 whenever they arrive, so only the attempts in this response can still move money. A
 * frame that is rejected like this opens the session again and sends the attempt again under the
 * same id.
 */
export const createSessionSchema = paymentRequestSchema;

/** A value that the form can do without: one of the wrong type, such as null, counts as absent. */
function hint<const Schema extends v.GenericSchema>(schema: Schema) {
  return v.fallback(v.optional(schema), undefined as v.InferOutput<Schema> | undefined);
}

/** What a service can say of a network. A frame ignores any other word. */
export const NETWORK_NOTICES = ['slow', 'down'] as const;

/**
 * A mobile network a customer may choose. `prefixes` are of national numbers, leading 0 included;
 * the popup sends a number without that 0, in groups, such as `96 111 1111`.
 * `dialCode` is the code a customer dials to see an open request when the phone showed none, such
 * as `*000#`; absent if the network has no such code. `notice` is set while the network has
 * trouble, and `typicalSeconds` is how long its customers usually take, from the request to the
 * result; a frame shows both before a request is sent, not while one is on a phone.
 */
export const networkSchema = v.object({
  operator: v.string(),
  name: v.string(),
  country: v.string(),
  callingCode: v.string(),
  prefixes: v.array(v.string()),
  dialCode: hint(v.string()),
  notice: hint(v.string()),
  typicalSeconds: hint(v.number()),
  /** A `data:` URL of a PNG or an SVG, drawn as an image, as a merchant's logo is. */
  logo: hint(v.string()),
});
export type Network = v.InferOutput<typeof networkSchema>;

export const CARD_BRANDS = [
  'visa',
  'mastercard',
  'american-express',
  'diners-club',
  'discover',
  'jcb',
  'unionpay',
  'maestro',
  'verve',
] as const;
export type CardBrand = (typeof CARD_BRANDS)[number];

/**
 * The merchant's record beyond its name: `logo` is a `data:` URL of a PNG or an SVG, drawn as an
 * image; `cardBrands` are the brands it accepts, in the order to show them.
 */
export const merchantRecordSchema = v.object({
  logo: v.optional(v.string()),
  cardBrands: v.array(v.string()),
});
export type MerchantRecord = v.InferOutput<typeof merchantRecordSchema>;

/**
 * The merchant's facts before a payment is known. The checkout page may carry them as JSON in its
 * element `<script type="application/json" id="merchant">`, so that the form can be drawn while the
 * session is being opened. A page whose element is empty waits for the session. `bearer` is the
 * dashboard's, null if the request decides (D36); `now` is as in a session.
 */
export const merchantFactsSchema = v.object({
  merchantName: v.string(),
  /** Absent if a service keeps no such record. */
  merchant: v.optional(merchantRecordSchema),
  isTest: v.boolean(),
  bearer: v.nullable(bearerSchema),
  defaultCurrency: currencySchema,
  channels: v.array(v.string()),
  networks: v.array(v.object({ ...networkSchema.entries, currency: currencySchema })),
  now: timestampSchema,
});
export type MerchantFacts = v.InferOutput<typeof merchantFactsSchema>;

/**
 * One attempt with one instrument. Another visitor's input is not shown: `isYours` is false then,
 * and `challengeUrl`, `prompt` and `card` are null (D25).
 */
export const attemptSchema = v.object({
  id: v.string(),
  channel: v.string(),
  status: v.string(),
  isYours: v.boolean(),
  reasonForFailure: v.nullable(v.string()),
  /** The time at which the prompt or the challenge expires (D37). */
  expiresAt: v.nullable(timestampSchema),
  challengeUrl: v.nullable(v.string()),
  prompt: v.nullable(
    v.object({
      operator: v.string(),
      networkName: v.string(),
      /**
       * The first digits of the national number, leading 0 included, so that it reads `096 •••
       * 1111`.
       */
      firstDigits: v.optional(v.string()),
      lastDigits: v.string(),
      /** In test mode, the page on which this phone can be answered. */
      testPhone: hint(v.string()),
    }),
  ),
  card: v.optional(v.nullable(v.object({ brand: v.nullable(v.string()), lastDigits: v.string() }))),
  /** False once the network has rejected a cancellation of the prompt (D47). */
  withdrawable: v.optional(v.boolean()),
  codesLeft: v.nullable(v.number()),
});
export type Attempt = v.InferOutput<typeof attemptSchema>;

/**
 * A session as the frame sees it. `fee` is the amount the customer pays on top (`"0.00"` if the
 * merchant bears it), `total` is the amount that leaves the customer's account (D36). `now` is the
 * service's clock, which may be a virtual one: time left is `expiresAt − now`.
 */
export const sessionSchema = v.object({
  reference: v.string(),
  merchantName: v.string(),
  /** Only in the response that opens the session, and absent if a service keeps no such record. */
  merchant: v.optional(merchantRecordSchema),
  label: v.nullable(v.string()),
  amount: decimalSchema,
  fee: decimalSchema,
  total: decimalSchema,
  currency: currencySchema,
  bearer: bearerSchema,
  isTest: v.boolean(),
  channels: v.array(v.string()),
  networks: v.array(networkSchema),
  status: v.string(),
  reasonForFailure: v.nullable(v.string()),
  attemptsLeft: v.number(),
  expiresAt: timestampSchema,
  /** Extensions that are left before `expiresAt`. Absent if a service has none. */
  extensionsLeft: v.optional(v.number()),
  now: timestampSchema,
  completedAt: v.optional(v.nullable(timestampSchema)),
  attempt: v.nullable(attemptSchema),
});
export type Session = v.InferOutput<typeof sessionSchema>;

/**
 * The response to opening or resuming a session. `token` is valid for this reference and amount
 * only; it goes in a header, never in a URL. Each response has a new one. Only the newest starts
 * attempts; older ones still show the session and act on their own attempts.
 */
export const sessionGrantSchema = v.object({ token: v.string(), session: sessionSchema });
export type SessionGrant = v.InferOutput<typeof sessionGrantSchema>;

/**
 * A card as typed, spaces and dashes included, in the digits of any script. The service reads it once and keeps first six and
 * last four digits (D34).
 */
export const cardSchema = v.object({
  number: textOf(64),
  expiry: textOf(16),
  securityCode: textOf(8),
  name: textOf(200),
});
export type Card = v.InferOutput<typeof cardSchema>;

const attemptIdSchema = v.pipe(v.string(), v.uuid('must be a UUID'));

/**
 * One attempt. The frame creates `id`, so that it can send an attempt again if the response was
 * lost, without a second charge. If another attempt is running, this one gets a response but never
 * starts, even if it is sent again. Responds with `sessionSchema`. Fails with 400·01 and
 * `data.problems`, 400·12 for a phone number, 400·04 if no attempt is left, and 401·09 if the
 * session was opened again in the meantime.
 */
export const createAttemptSchema = v.variant('channel', [
  v.object({
    id: attemptIdSchema,
    channel: v.literal('card'),
    card: cardSchema,
    billing: v.optional(billingSchema),
  }),
  v.object({
    id: attemptIdSchema,
    channel: v.literal('mobile-money'),
    mobileMoney: v.object({ operator: v.string(), phone: textOf(64) }),
  }),
]);
export type CreateAttempt = v.InferOutput<typeof createAttemptSchema>;

/**
 * The code that a customer received, as typed, which `findOneTimeCode` reads: `POST
 * …/attempts/:id/one-time-code`. Responds with `sessionSchema`. Fails with 400·01 and
 * `data.problems`.
 */
export const oneTimeCodeSchema = v.object({ code: textOf(64) });

/**
 * Codes of field problems. A frame translates the ones it knows; `invalid` only says that the field
 * breaks its schema, which its message explains.
 */
export const FIELD_PROBLEM_CODES = [
  'invalid',
  'card-number-invalid',
  'card-not-a-test-card',
  'card-brand-not-accepted',
  'expiry-invalid',
  'expiry-past',
  'security-code-invalid',
  'name-missing',
  'billing-required',
  'phone-invalid',
  'phone-other-network',
  'code-invalid',
] as const;
export type FieldProblemCode = (typeof FIELD_PROBLEM_CODES)[number];

/* @__NO_SIDE_EFFECTS__ */
function textOf(mostCharacters: number) {
  return v.pipe(
    v.string(),
    v.maxLength(mostCharacters, `must be at most ${mostCharacters} characters`),
  );
}
