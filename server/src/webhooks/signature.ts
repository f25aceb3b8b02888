import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { SIGNATURE_PATTERN } from '@service-pay/contract/webhook';

/** Checks the signature of these bytes by one of these tokens (D41), in constant time. */
export function isSignatureOf(
  rawBody: Buffer,
  signature: unknown,
  tokens: readonly string[],
): boolean {
  if (typeof signature !== 'string' || !SIGNATURE_PATTERN.test(signature)) return false;
  const given = Buffer.from(signature, 'latin1');
  return tokens.map((token) => timingSafeEqual(given, sign(rawBody, token))).includes(true);
}

/** Returns the lower-case hex HMAC-SHA512, keyed with the lower-case hex of the token's SHA-256. */
export function sign(rawBody: Buffer, token: string): Buffer {
  const key = createHash('sha256').update(token).digest('hex');
  return Buffer.from(createHmac('sha512', key).update(rawBody).digest('hex'), 'latin1');
}
