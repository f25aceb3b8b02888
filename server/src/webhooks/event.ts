import { referenceSchema } from '@service-pay/contract/payment-request-schema';
import { SIGNATURE_HEADER, SIGNATURE_PATTERN } from '@service-pay/contract/webhook';
import { isSignatureOf } from '@service-pay/contract/webhook-signature';
import * as v from 'valibot';

import { PaymentsError } from '../errors.ts';

export const LARGEST_WEBHOOK = 64 * 1024;

/** The event and the payment to ask about. The rest may be a lie (T85). */
const eventSchema = v.object({
  event: v.pipe(v.string(), v.maxLength(200)),
  data: v.optional(v.unknown()),
});
const referredSchema = v.object({ reference: referenceSchema });

export interface WebhookEvent {
  event: string;
  reference: string | null;
}

/** The body before anything parsed it, as bytes or as text. */
export type RawBody = Uint8Array | string;

/** Those of a `Request`, of Node's requests, or a plain object. */
export type WebhookHeaders =
  | Iterable<readonly [string, string]>
  | Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * Checks a webhook without a database: pass the body as it came, its headers, and the tokens in use.
 * Returns the event and the payment to ask about with `getCollection`: believe nothing else of it.
 * Fails with `signature_invalid`, and with `invalid_request` if it is no event. Throws a `TypeError`
 * for a body that was parsed, and for tokens that are no array.
 */
export function verifyWebhook(
  rawBody: RawBody,
  headers: WebhookHeaders,
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
    // the error of a parser holds the body (T88)
    const message = 'The body must be a JSON event with a member "event".';
    throw new PaymentsError('invalid_request', message);
  }
}

export function toBytes(rawBody: RawBody): Buffer {
  if (typeof rawBody === 'string') return Buffer.from(rawBody);
  if (Buffer.isBuffer(rawBody)) return rawBody;
  if (rawBody instanceof Uint8Array) return Buffer.from(rawBody);
  throw new TypeError('rawBody must be the body as it came, before anything parses it.');
}

/** Returns a signature of the right form, or undefined. */
export function readSignature(headers: WebhookHeaders): string | undefined {
  const [signature, ...others] = readHeader(headers, SIGNATURE_HEADER);
  const isOne = signature !== undefined && others.length === 0;
  return isOne && SIGNATURE_PATTERN.test(signature) ? signature : undefined;
}

/** Returns the values of a header, whose name may be in any case. */
export function readHeader(headers: WebhookHeaders, name: string): string[] {
  const all = Symbol.iterator in headers ? [...headers] : Object.entries(headers);
  return all
    .filter(([other]) => other.toLowerCase() === name.toLowerCase())
    .flatMap(([, value]) => value ?? []);
}

export function signatureInvalid(): PaymentsError {
  const message = `${SIGNATURE_HEADER} must be the signature of the raw body.`;
  return new PaymentsError('signature_invalid', message);
}
