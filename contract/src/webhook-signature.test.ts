import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

import { isSignatureOf, signWebhook } from './webhook-signature.ts';

const { vectors } = JSON.parse(
  readFileSync(new URL('test-data/webhook-vectors.json', import.meta.url), 'utf8'),
) as {
  vectors: {
    name: string;
    token: string;
    body: string;
    signature: string;
    valid: boolean;
    why: string;
  }[];
};

describe('a signature', () => {
  test.each(vectors)(
    'a signature made elsewhere: $name, $why (D41)',
    ({ body, signature, token, valid }) => {
      expect(isSignatureOf(Buffer.from(body), signature, [token])).toBe(valid);
      expect(signWebhook(body, token) === signature).toBe(valid);
    },
  );

  test('a signature is valid for both tokens while one is renewed (D41)', () => {
    const { body, signature, token } = vectors.find((vector) => vector.valid)!;

    expect(isSignatureOf(Buffer.from(body), signature, ['sec_new_token', token])).toBe(true);
    expect(isSignatureOf(Buffer.from(body), signature, ['sec_new_token'])).toBe(false);
  });

  test.each([
    ['missing', undefined],
    ['empty', ''],
    ['of 127 characters', 'a'.repeat(127)],
    ['of 129 characters', 'a'.repeat(129)],
    ['in capitals', 'A'.repeat(128)],
    ['hex and then some', `${'a'.repeat(128)}zz`],
    ['prefixed', `sha512=${'a'.repeat(128)}`],
    ['given twice', `${'a'.repeat(128)}, ${'a'.repeat(128)}`],
    ['no text', ['a'.repeat(128)]],
  ])('a signature that is %s does not hold and does not throw (T81)', (_name, signature) => {
    expect(isSignatureOf(Buffer.from('{}'), signature, ['sec_sandbox_demo'])).toBe(false);
  });

  test('a signature is invalid if any bit of body or signature changes (T82)', () => {
    const { body, signature, token } = vectors.find((vector) => vector.valid)!;
    const bytes = Buffer.from(body);
    for (const at of [0, 7, bytes.length - 1]) {
      const flipped = Buffer.from(bytes);
      flipped[at]! ^= 1;
      expect(isSignatureOf(flipped, signature, [token])).toBe(false);
    }
    const otherDigit = (signature[0] === '0' ? '1' : '0') + signature.slice(1);

    expect(isSignatureOf(bytes, otherDigit, [token])).toBe(false);
    expect(isSignatureOf(Buffer.from(`${body}\n`), signature, [token])).toBe(false);
  });
});
