import { createHash, createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { readRawRequest } from './delivery-file.ts';
import { formatFindings } from './finding.ts';
import { diagnoseSignature, type ShopKeys } from './signature.ts';

const { vectors } = JSON.parse(
  readFileSync(new URL('../../../test/data/webhook-vectors.json', import.meta.url), 'utf8'),
) as {
  vectors: { name: string; token: string; body: string; signature: string; valid: boolean }[];
};
const HEADER = 'X-ServicePay-Signature';
const KEYS: ShopKeys = {
  apiToken: 'sec_live_abcdef0123456789',
  previousApiToken: undefined,
  publicKey: 'pub_live_abcdef',
};
const BODY =
  '{"event":"collection.successful","data":{"reference":"ref-1","label":"Café/Bar <1>","amount":"10.00"}}';

const keyOf = (token: string) => createHash('sha256').update(token).digest('hex');
const sign = (body: string | Buffer, token = KEYS.apiToken) =>
  createHmac('sha512', keyOf(token)).update(body).digest('hex');

function diagnose(body: string | Buffer, headers: [string, string][], keys = KEYS): string {
  return formatFindings(diagnoseSignature({ headers, body: Buffer.from(body) }, keys));
}

describe('the doctor, given a delivery', () => {
  test.each([
    ['as sent', /^ok/],
    ['indented, final newline', /^ok/],
    ['beyond ASCII', /^ok/],
    ['escapes that a re-serialiser would lose', /^ok/],
    ['empty body', /^ok/],
    ['re-serialised by the receiver', /re-serialised: what was signed is the form compact/],
    ['other token', /another token/],
    ['key is the token', /keyed with the token itself/],
    ['key is the raw digest', /keyed with the raw digest/],
    ['SHA-256', /HMAC-SHA-256/],
    ['upper case', /upper case/],
    ['trailing junk', /more characters after it/],
    ['cut', /cut to 127 of 128/],
    ['prefix', /a prefix before it/],
    ['one bit of the body', /another token, or the body was changed/],
    ['one digit of the signature', /another token, or the body was changed/],
    ['missing', /is empty/],
    ['twice', /was sent twice/],
  ])('names the cause of one made elsewhere: %s (T83)', (name, cause) => {
    const { body, signature, token } = vectors.find((vector) => vector.name === name)!;

    const said = diagnose(body, [[HEADER, signature]], { ...KEYS, apiToken: token });

    expect(said).toMatch(cause);
    expect(said).not.toContain(token);
    expect(said).not.toContain(keyOf(token));
  });

  test('knows every vector there is', () => {
    expect(vectors).toHaveLength(18);
  });

  test.each([
    [
      'SHA-512 of key and body',
      createHash('sha512').update(keyOf(KEYS.apiToken)).update(BODY).digest('hex'),
      /key and body one after the other/,
    ],
    [
      'HMAC-SHA384',
      createHmac('sha384', keyOf(KEYS.apiToken)).update(BODY).digest('hex'),
      /HMAC-SHA-384/,
    ],
    [
      'base64',
      createHmac('sha512', keyOf(KEYS.apiToken)).update(BODY).digest('base64'),
      /written in base64/,
    ],
    [
      'base64 for addresses',
      createHmac('sha512', keyOf(KEYS.apiToken)).update(BODY).digest('base64url'),
      /written in base64/,
    ],
    ['base64 of hex', Buffer.from(sign(BODY)).toString('base64'), /base64 of the hex text/],
    [
      'the token itself and SHA-256',
      createHmac('sha256', KEYS.apiToken).update(BODY).digest('hex'),
      /token itself.*HMAC-SHA-256/,
    ],
    ['the public key', sign(BODY, KEYS.publicKey), /public key, which everybody knows/],
    ['quotes', `"${sign(BODY)}"`, /blanks or quotes/],
    [
      'the demo token',
      sign(BODY, 'sec_sandbox_demo'),
      /another token, that of the sandbox.*environments are mixed up/,
    ],
    [
      'an old token',
      sign(BODY, 'sec_live_the_one_before'),
      /another token.*\n.*SERVICE_PAY_API_TOKEN_PREVIOUS/,
    ],
    ['no digest', 'none', /no signature: 4 characters/],
  ])('names what was done instead: %s (T83)', (_name, signature, cause) => {
    const said = diagnose(BODY, [[HEADER, signature]]);

    expect(said).toMatch(cause);
    expect(said).toMatch(/^problem/);
    expect(said).not.toMatch(/sec_live|sec_sandbox/);
  });

  test('says that the token before still counts while it is renewed, and what the sandbox signs is for a sandbox (D41)', () => {
    const renewed = { ...KEYS, previousApiToken: 'sec_live_the_one_before' };

    expect(diagnose(BODY, [[HEADER, sign(BODY, 'sec_live_the_one_before')]], renewed)).toMatch(
      /^ok.*SERVICE_PAY_API_TOKEN_PREVIOUS/,
    );
    expect(
      diagnose(BODY, [[HEADER, sign(BODY)]], { ...KEYS, apiToken: 'sec_sandbox_demo' }),
    ).toMatch(/token of the sandbox/);
  });

  test.each([
    ['X-Signature', /came as X-Signature/],
    ['HTTP_X_SERVICEPAY_SIGNATURE', /came as HTTP_X_SERVICEPAY_SIGNATURE/],
    ['Content-Type', /There is no X-ServicePay-Signature\.$/m],
  ])('names a header that is not the one: %s (T83)', (name, cause) => {
    expect(diagnose(BODY, [[name, sign(BODY)]])).toMatch(cause);
  });

  test('takes the header in any case, twice on lines of their own, and shows no control characters of its name', () => {
    expect(diagnose(BODY, [[HEADER.toLowerCase(), sign(BODY)]])).toMatch(/^ok/);
    expect(
      diagnose(BODY, [
        [HEADER, sign(BODY)],
        [HEADER, sign(BODY)],
      ]),
    ).toMatch(/was sent twice/);
    expect(diagnose(BODY, [['X-Signature\u001b[2J', sign(BODY)]])).toContain('X-Signature?[2J');
  });

  test.each([
    ['indented', JSON.stringify(JSON.parse(BODY), null, 2)],
    ['with escaped slashes', BODY.replaceAll('/', '\\/')],
    ['in ASCII', BODY.replace('é', '\\u00e9')],
    ['in ASCII with escaped slashes', BODY.replaceAll('/', '\\/').replace('é', '\\u00e9')],
    ['with escaped angles', BODY.replace('<', '\\u003c').replace('>', '\\u003e')],
    ['spaced', BODY.replaceAll('":', '": ').replaceAll(',"', ', "')],
    [
      'with its members in another order',
      '{"data":{"amount":"10.00","label":"Café/Bar <1>","reference":"ref-1"},"event":"collection.successful"}',
    ],
    ['with a line end', `${BODY}\n`],
  ])(
    'finds that a body was re-serialised where what was signed was %s (T82, T83)',
    (_name, signed) => {
      expect(diagnose(BODY, [[HEADER, sign(signed)]])).toMatch(/re-serialised|line end/);
    },
  );

  test('finds a body that was read in another character set', () => {
    const received = Buffer.from(Buffer.from(BODY).toString('latin1'));

    expect(diagnose(received, [[HEADER, sign(BODY)]])).toMatch(/read as Latin-1/);
  });

  test('says what is plain of a body that somebody has read before', () => {
    expect(diagnose('', [[HEADER, sign(BODY)]])).toMatch(/body is empty/);
    expect(diagnose('[object Object]', [[HEADER, sign(BODY)]])).toMatch(/turned into text/);
  });

  test('never throws, never calls a wrong signature right, and never shows the token, whatever it is given', () => {
    fc.assert(
      fc.property(fc.string(), fc.uint8Array(), fc.string(), (signature, body, name) => {
        const said = diagnose(Buffer.from(body), [
          [HEADER, signature],
          [name, signature],
        ]);
        expect(said).not.toMatch(/^ok|sec_live/);
      }),
      { numRuns: 300 },
    );
  });
});

describe('a delivery in a file', () => {
  test.each([
    [
      'as it was on the wire',
      `POST /webhooks/service-pay HTTP/1.1\r\nHost: shop.example\r\n${HEADER}: sig\r\n\r\n${BODY}`,
    ],
    ['without its first line', `Host: shop.example\n${HEADER}: sig\n\n${BODY}`],
    [
      'as curl shows it',
      `> POST /webhooks/service-pay HTTP/1.1\n> Host: shop.example\n> ${HEADER}: sig\n\n${BODY}`,
    ],
    [
      'in chunks',
      `Transfer-Encoding: chunked\r\n${HEADER}: sig\r\n\r\n5\r\n${BODY.slice(0, 5)}\r\n${(Buffer.byteLength(BODY) - 5).toString(16)}\r\n${BODY.slice(5)}\r\n0\r\n\r\n`,
    ],
    [
      'with a line end an editor added',
      `Content-Length: ${Buffer.byteLength(BODY)}\n${HEADER}: sig\n\n${BODY}\n`,
    ],
  ])('is read %s', (_name, file) => {
    const { headers, body } = readRawRequest(Buffer.from(file));

    expect(headers).toContainEqual([HEADER, 'sig']);
    expect(body.toString()).toBe(BODY);
  });

  test('that is anything at all is read without a throw', () => {
    fc.assert(fc.property(fc.uint8Array(), (bytes) => void readRawRequest(Buffer.from(bytes))));
    fc.assert(
      fc.property(
        fc.string(),
        (text) => void readRawRequest(Buffer.from(`Transfer-Encoding: chunked\n\n${text}`)),
      ),
    );
  });
});
