import { createHash, createHmac } from 'node:crypto';
import { signWebhook } from '@service-pay/contract/webhook-signature';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkDelivery } from './doctor-delivery.ts';
import { type Config, parseConfig } from './settings.ts';

const HEADER = 'X-ServicePay-Signature';
const TOKEN = 'sec_live_abcdef0123456789';
const OLD_TOKEN = 'sec_live_the_one_before';
const BODY =
  '{"event":"collection.successful","data":{"reference":"ref-1","label":"Café/Bar","amount":"10.00"}}';

const signatureOf = (body: string, token = TOKEN) => signWebhook(body, token);
const sha256 = (text: string) => createHash('sha256').update(text).digest();
const HEX_KEY = sha256(TOKEN).toString('hex');
const hmac = (hash: string, key: string | Buffer, encoding: 'hex' | 'base64' = 'hex') =>
  createHmac(hash, key).update(BODY).digest(encoding);
const configOf = (settings: Record<string, string> = {}): Config =>
  parseConfig({ SERVICE_PAY_API_TOKEN: TOKEN, SESSION_SECRET: 's'.repeat(32), ...settings });

function explain(body: string, signatures: string[], config = configOf()): string {
  const head = signatures.map((signature) => `${HEADER}: ${signature}\r\n`).join('');
  const file = Buffer.from(
    `POST /webhooks/service-pay HTTP/1.1\r\nHost: shop\r\n${head}\r\n${body}`,
  );
  return checkDelivery(file, config).join(' → ');
}

describe('the doctor explains a delivery', () => {
  test.each([
    ['without the header', [], /was sent 0 times/],
    ['with an empty header', [''], /must be 128/],
    ['with the header twice', [signatureOf(BODY), signatureOf(BODY)], /was sent 2 times/],
    ['with two signatures in one', [`${signatureOf(BODY)}, ${signatureOf(BODY)}`], /must be 128/],
    ['with something else', ['none'], /128 lower-case hex digits/],
    ['signed with the sandbox’s token', [signatureOf(BODY, 'sec_sandbox_demo')], /another token/],
    ['signed with an old token', [signatureOf(BODY, OLD_TOKEN)], /SERVICE_PAY_API_TOKEN_PREVIOUS/],
    ['with the token as its signature', [TOKEN], /is the API token itself/],
    ['keyed with the token itself', [hmac('sha512', TOKEN)], /key is the token itself/],
    ['keyed with the raw digest', [hmac('sha512', sha256(TOKEN))], /key is the raw digest/],
    ['hashed with SHA-256', [hmac('sha256', HEX_KEY)], /SHA-256 instead of SHA-512/],
    ['in base64', [hmac('sha512', HEX_KEY, 'base64')], /base64 instead of hex/],
    ['with a prefix', [`sha512=${signatureOf(BODY)}`], /a prefix before/],
    ['of another merchant', [signatureOf(BODY, 'sec_live_of_another')], /another token/],
  ])('the doctor explains a delivery %s as a problem (T83)', (_name, signatures, cause) => {
    const said = explain(BODY, signatures);

    expect(said).toContain(' → ');
    expect(said).toMatch(cause);
    expect(said).not.toMatch(/sec_live|sec_sandbox|Café/);
  });

  test('the doctor explains a delivery signed with the previous token as valid while that one is set (D41)', () => {
    const config = configOf({ SERVICE_PAY_API_TOKEN_PREVIOUS: OLD_TOKEN });

    expect(explain(BODY, [signatureOf(BODY, OLD_TOKEN)], config)).toMatch(
      /^It is valid for SERVICE_PAY_API_TOKEN_PREVIOUS/,
    );
  });

  test.each([
    ['indented', JSON.stringify(JSON.parse(BODY), null, 4)],
    ['with escaped slashes', BODY.replaceAll('/', '\\/')],
    ['in ASCII', BODY.replace('é', '\\u00e9')],
    ['with spaces', BODY.replaceAll('":', '": ').replaceAll(',"', ', "')],
    ['with a line end', `${BODY}\r\n`],
  ])(
    'the doctor explains a delivery whose body was encoded again %s (T82, T83)',
    (_name, received) => {
      expect(explain(received, [signatureOf(BODY)])).toMatch(/ encoded again.* → /);
    },
  );

  test('the doctor explains a delivery that was saved without its body', () => {
    const head = `Host: shop\n${HEADER}: ${signatureOf(BODY)}\n`;

    expect(checkDelivery(Buffer.from(head), configOf())[0]).toContain('no empty line');
  });

  test('the doctor explains a delivery as curl shows it, and without the line end that an editor adds', () => {
    const file = `> Host: shop\n> Content-Length: ${Buffer.byteLength(BODY)}\n> ${HEADER.toLowerCase()}: ${signatureOf(BODY)}\n\n${BODY}\n`;

    expect(checkDelivery(Buffer.from(file), configOf())).toEqual([
      'It is valid for SERVICE_PAY_API_TOKEN.',
    ]);
  });

  test('the doctor explains a delivery whatever the file holds, and never calls a wrong signature valid', () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.string(), (bytes, text) => {
        const files = [Buffer.from(bytes), Buffer.from(`${HEADER}: ${text}\n\n${text}`)];
        for (const file of files) expect(checkDelivery(file, configOf())).toHaveLength(2);
      }),
      { numRuns: 300 },
    );
  });
});
