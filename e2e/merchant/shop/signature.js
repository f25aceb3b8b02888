import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

/**
 * Checks whether a webhook is from the service: the header is the hex HMAC-SHA512 of the body's
 * bytes, keyed with the hex SHA-256 of the API token. Takes as long whether it holds or not.
 *
 * @param {Buffer} body @param {unknown} header @param {string} apiToken
 */
export function isSigned(body, header, apiToken) {
  if (typeof header !== 'string' || !/^[0-9a-f]{128}$/.test(header)) return false;
  const key = createHash('sha256').update(apiToken).digest('hex');
  return timingSafeEqual(
    Buffer.from(header, 'hex'),
    createHmac('sha512', key).update(body).digest(),
  );
}
