import { createHmac, hash } from 'node:crypto';

/** Signs the bytes of a webhook's body with a merchant's API token (D41). */
export function signWebhook(body: string | Uint8Array, apiToken: string): string {
  const key = hash('sha256', apiToken, 'hex');
  return createHmac('sha512', key).update(body).digest('hex');
}
