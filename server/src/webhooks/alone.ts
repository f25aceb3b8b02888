import { SIGNATURE_HEADER } from '@service-pay/contract/webhook';

import { PaymentsError } from '../errors.ts';
import { readWebhookEvent, type WebhookEvent } from './event.ts';
import type { Headers } from './receive.ts';
import { isSignatureOf, sign } from './signature.ts';

/**
 * Checks a webhook without a database, for shops that keep everything themselves: pass the bytes
 * as they came, headers with lower-case names, and the tokens in use. Returns which event it is and
 * the payment to ask about with `getCollection`: nothing else of it may be believed. Fails with
 * `signature_invalid`, and with `invalid_request` if it is no event.
 */
export function verifyWebhook(
  rawBody: Buffer,
  headers: Headers,
  tokens: readonly string[],
): WebhookEvent {
  const name = SIGNATURE_HEADER.toLowerCase();
  if (!isSignatureOf(rawBody, headers[name], tokens))
    throw new PaymentsError(
      'signature_invalid',
      `${SIGNATURE_HEADER} must be the signature of the raw body.`,
    );
  const event = readWebhookEvent(rawBody);
  if (event) return event;
  throw new PaymentsError(
    'invalid_request',
    'The body must be a JSON event with a member "event".',
  );
}

/** Signs a body as the service does, for tests: the value of `X-ServicePay-Signature`. */
export function signWebhook(rawBody: Buffer | string, token: string): string {
  return sign(Buffer.from(rawBody), token).toString('latin1');
}
