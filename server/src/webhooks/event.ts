import { referenceSchema } from '@service-pay/contract/payment-request-schema';
import { SIGNATURE_HEADER, SIGNATURE_PATTERN } from '@service-pay/contract/webhook';
import { isSignatureOf } from '@service-pay/contract/webhook-signature';
import * as v from 'valibot';

import { PaymentsError } from '../errors.ts';
import { type RequestHeaders, readHeader } from '../support/headers.ts';

/** The event and the payment to verify. The rest is not believed (T85). */
const eventSchema = v.object({
  event: v.pipe(v.string(), v.maxLength(200)),
  data: v.optional(v.unknown()),
});
const referredSchema = v.object({ reference: referenceSchema });

export interface WebhookEvent {
  event: string;
  reference: string | null;
}

/** The unparsed body, as bytes or text. */
export type RawBody = Uint8Array | string;

/**
 * Verifies a webhook without a database. Pass the unparsed body, its headers and your tokens.
 * Returns the event and the payment to verify with `getCollection`; do not believe anything else in
 * it. Fails with `signature_invalid`, or `invalid_request` if it is not an event. Throws a
 * `TypeError` for a parsed body, or for tokens that are not an array.
 */
export function verifyWebhook(
  rawBody: RawBody,
  headers: RequestHeaders,
  tokens: readonly string[],
): WebhookEvent {
  const bytes = toBytes(rawBody);
  if (!Array.isArray(tokens)) throw new TypeError('tokens must be an array of API tokens.');
  if (!isSignatureOf(bytes, readSignature(headers), tokens)) throw signatureInvalid();
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    const { event, data } = v.parse(eventSchema, JSON.parse(text));
    return { event, reference: v.is(referredSchema, data) ? data.reference : null };
  } catch {
    // no cause, because a parser's error holds the body (T88)
    const message = 'The body must be a JSON event with a field "event".';
    throw new PaymentsError('invalid_request', message);
  }
}

export function toBytes(rawBody: RawBody): Buffer {
  if (typeof rawBody === 'string') return Buffer.from(rawBody);
  if (Buffer.isBuffer(rawBody)) return rawBody;
  if (rawBody instanceof Uint8Array) return Buffer.from(rawBody);
  throw new TypeError('rawBody must be the unparsed body, as it arrived.');
}

/** Returns a well-formed signature, or undefined. */
export function readSignature(headers: RequestHeaders): string | undefined {
  const [signature, ...others] = readHeader(headers, SIGNATURE_HEADER);
  const isOne = signature !== undefined && others.length === 0;
  return isOne && SIGNATURE_PATTERN.test(signature) ? signature : undefined;
}

export function signatureInvalid(): PaymentsError {
  const message = `${SIGNATURE_HEADER} must be the signature of the raw body.`;
  return new PaymentsError('signature_invalid', message);
}
