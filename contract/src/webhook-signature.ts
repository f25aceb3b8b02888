import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

import { SIGNATURE_PATTERN } from './webhook.ts';

/** Signs the raw bytes of a webhook's body with an API token: 128 lower-case hex digits (D41). */
export function signWebhook(rawBody: string | Uint8Array, apiToken: string): string {
  const key = createHash('sha256').update(apiToken).digest('hex');
  return createHmac('sha512', key).update(rawBody).digest('hex');
}

/** Checks the signature of these bytes by one of these tokens (D41), in constant time. */
export function isSignatureOf(
  rawBody: string | Uint8Array,
  signature: unknown,
  apiTokens: readonly string[],
): boolean {
  if (typeof signature !== 'string' || !SIGNATURE_PATTERN.test(signature)) return false;
  const given = Buffer.from(signature);
  return apiTokens
    .map((token) => timingSafeEqual(given, Buffer.from(signWebhook(rawBody, token))))
    .includes(true);
}
