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

export type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * Checks a webhook without a database: pass the bytes as they came, headers with lower-case names,
 * and the tokens in use. Returns the event and the payment to ask about with `getCollection`: believe
 * nothing else of it. Fails with `signature_invalid`, and with `invalid_request` if it is no event.
 */
export function verifyWebhook(
  rawBody: Buffer,
  headers: Headers,
  tokens: readonly string[],
): WebhookEvent {
  if (!isSignatureOf(rawBody, readSignature(headers), tokens)) throw signatureInvalid();
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(rawBody);
    const { event, data } = v.parse(eventSchema, JSON.parse(text));
    return { event, reference: v.is(referredSchema, data) ? data.reference : null };
  } catch {
    // the error of a parser holds the body (T88)
    const message = 'The body must be a JSON event with a member "event".';
    throw new PaymentsError('invalid_request', message);
  }
}

/** Returns a signature of the right form, or undefined. */
export function readSignature(headers: Headers): string | undefined {
  const signature = headers[SIGNATURE_HEADER.toLowerCase()];
  return typeof signature === 'string' && SIGNATURE_PATTERN.test(signature) ? signature : undefined;
}

export function signatureInvalid(): PaymentsError {
  const message = `${SIGNATURE_HEADER} must be the signature of the raw body.`;
  return new PaymentsError('signature_invalid', message);
}
