import * as v from 'valibot';

/**
 * The header that carries the signature: lower-case hex HMAC-SHA512 of the raw body, keyed with the
 * lower-case hex SHA-256 of the API token (D41).
 */
export const SIGNATURE_HEADER = 'X-ServicePay-Signature';

/** The form of a signature. Check it before comparing: anything else cannot be one (D41). */
export const SIGNATURE_PATTERN = /^[0-9a-f]{128}$/;

/**
 * Events we know. Only the first is in the specification (section 6); the service sends the others
 * if they are switched on (D43).
 */
export const EVENTS = ['collection.successful', 'collection.failed', 'collection.settled'] as const;
export type EventName = (typeof EVENTS)[number];

/** HTTP statuses that acknowledge a delivery (D42). A redirect does not. */
export const ACKNOWLEDGING_STATUSES: readonly number[] = [200, 201, 202];

/** The retries of a delivery, and when the service gives up (D42). */
export const WEBHOOK_RETRY = {
  respondWithinMs: 10_000,
  /** @deprecated Its name until the next version. */
  answerWithinMs: 10_000,
  everyMs: 30 * 60_000,
  forMs: 24 * 60 * 60_000,
} as const;

/**
 * The body of a webhook (specification 6, D40). `data` is the collection as the sender saw it; a
 * receiver reads the reference and requests the rest from the service (D54), so nothing else of it is
 * required here.
 */
export const webhookEventSchema = v.object({
  event: v.string(),
  data: v.looseObject({ reference: v.string() }),
});
export type WebhookEvent = v.InferOutput<typeof webhookEventSchema>;
