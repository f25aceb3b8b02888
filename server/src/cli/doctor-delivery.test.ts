import { createHash, createHmac } from 'node:crypto';
import { signWebhook } from '@service-pay/contract/webhook-signature';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkDelivery } from './doctor-delivery.ts';
import { formatFindings } from './finding.ts';
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
  return formatFindings(checkDelivery(file, config));
}

describe('the doctor explains a delivery', () => {
  test.each([
    ['without the header', [], /has no X-ServicePay-Signature/],
    ['with an empty header', [''], /has no X-ServicePay-Signature/],
    ['with the header twice', [signatureOf(BODY), signatureOf(BODY)], /more than once/],
    [
      'with two signatures in one',
      [`${signatureOf(BODY)}, ${signatureOf(BODY)}`],
      /more than once/,
    ],
    ['with something else', ['none'], /4 characters that are not a signature/],
    ['signed with the sandbox’s token', [signatureOf(BODY, 'sec_sandbox_demo')], /of the sandbox/],
    ['signed with an old token', [signatureOf(BODY, OLD_TOKEN)], /SERVICE_PAY_API_TOKEN_PREVIOUS/],
    ['with the token as its signature', [TOKEN], /is the API token itself/],
    ['keyed with the token itself', [hmac('sha512', TOKEN)], /key is the token itself/],
    ['keyed with the raw digest', [hmac('sha512', sha256(TOKEN))], /key is the raw digest/],
    ['hashed with SHA-256', [hmac('sha256', HEX_KEY)], /SHA-256 instead of SHA-512/],
    ['in base64', [hmac('sha512', HEX_KEY, 'base64')], /base64 instead of hex/],
    ['with a prefix', [`sha512=${signatureOf(BODY)}`], /a prefix before/],
    ['of another merchant', [signatureOf(BODY, 'sec_live_of_another')], /another token/],
  ])('%s as a problem (T83)', (_name, signatures, cause) => {
    const said = explain(BODY, signatures);

    expect(said).toMatch(/^problem/);
    expect(said).toMatch(cause);
    expect(said).not.toMatch(/sec_live|sec_sandbox|Café/);
  });

  test('signed with the previous token as valid while that one is set (D41)', () => {
    const config = configOf({ SERVICE_PAY_API_TOKEN_PREVIOUS: OLD_TOKEN });

    expect(explain(BODY, [signatureOf(BODY, OLD_TOKEN)], config)).toMatch(
      /^ok +Signature +It is valid for SERVICE_PAY_API_TOKEN_PREVIOUS/,
    );
  });

  test.each([
    ['indented', JSON.stringify(JSON.parse(BODY), null, 4)],
    ['with escaped slashes', BODY.replaceAll('/', '\\/')],
    ['in ASCII', BODY.replace('é', '\\u00e9')],
    ['with spaces', BODY.replaceAll('":', '": ').replaceAll(',"', ', "')],
    ['with a line end', `${BODY}\r\n`],
  ])('whose body was encoded again %s (T82, T83)', (_name, received) => {
    expect(explain(received, [signatureOf(BODY)])).toMatch(/^problem.* encoded again/);
  });

  test('whose indented body lost its line ends or its layout (T82, T83)', () => {
    const signed = `${JSON.stringify(JSON.parse(BODY), null, 2)}\n`;

    for (const received of [signed.trim(), signed.replaceAll('\n', '\r\n'), signed.trim()])
      expect(explain(received, [signatureOf(signed)])).toMatch(/^problem.* encoded again/);
  });

  test('as curl shows it, and without the line end that an editor adds', () => {
    const file = `> Host: shop\n> Content-Length: ${Buffer.byteLength(BODY)}\n> ${HEADER.toLowerCase()}: ${signatureOf(BODY)}\n\n${BODY}\n`;

    expect(formatFindings(checkDelivery(Buffer.from(file), configOf()))).toMatch(
      /^ok +Signature .*\nok +Event +collection\.successful for ref-1: the shop answers 200/,
    );
  });

  test.each([['hello'], [`{"event":"${'x'.repeat(201)}"}`]])(
    'with a signed body that is no event as a problem: %s (T88)',
    (body) => {
      expect(explain(body, [signatureOf(body)])).toMatch(/^ok +Signature.*\nproblem +Event .*400/);
    },
  );

  test('whatever the file holds, and never calls a wrong signature valid', () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.string(), (bytes, text) => {
        const files = [Buffer.from(bytes), Buffer.from(`${HEADER}: ${text}\n\n${text}`)];
        for (const file of files)
          expect(formatFindings(checkDelivery(file, configOf()))).toMatch(/^problem/);
      }),
      { numRuns: 300 },
    );
  });
});
