import { createHash, createHmac } from 'node:crypto';

/** Signs the bytes of a webhook's body with a merchant's API token (D41). */
export function signWebhook(body: string | Uint8Array, apiToken: string): string {
  const key = createHash('sha256').update(apiToken).digest('hex');
  return createHmac('sha512', key).update(body).digest('hex');
}
