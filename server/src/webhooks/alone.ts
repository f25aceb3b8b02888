import { SIGNATURE_HEADER } from '@service-pay/contract/webhook';
import { isSignatureOf } from '@service-pay/contract/webhook-signature';

import { PaymentsError } from '../errors.ts';
import { readWebhookEvent, type WebhookEvent } from './event.ts';
import { EVENT_REQUIRED, type Headers, SIGNATURE_REQUIRED } from './receive.ts';

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
  if (!isSignatureOf(rawBody, headers[SIGNATURE_HEADER.toLowerCase()], tokens))
    throw new PaymentsError('signature_invalid', SIGNATURE_REQUIRED);
  const event = readWebhookEvent(rawBody);
  if (event) return event;
  throw new PaymentsError('invalid_request', EVENT_REQUIRED);
}
