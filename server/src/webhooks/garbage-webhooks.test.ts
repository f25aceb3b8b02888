import { createHash, createHmac } from 'node:crypto';
import { inspect } from 'node:util';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { PaymentsError } from '../errors.ts';
import type { RequestHeaders } from '../support/headers.ts';
import { signatureOf } from '../testing/upstream.ts';
import { verifyWebhook } from './event.ts';

const WEBHOOKS = Number(process.env.GARBAGE ?? (process.env.DRAW_ANEW ? 10_000 : 1_000));
const PATIENT_MS = 30 * 60_000;

const TOKEN = 'sec_garbage_canary';
const KEY = createHash('sha256').update(TOKEN).digest('hex');
/** In every token or body. The last looks like a card number. */
const SECRETS = [TOKEN, KEY, 'body-canary', '4111111111111111'];
const NAME = 'x-servicepay-signature';

interface Webhook {
  body: Buffer;
  headers: RequestHeaders;
}

const sign = (body: Buffer) => signatureOf(body, TOKEN);
const signed = (body: Buffer, signature: string): Webhook => ({
  body,
  headers: { [NAME]: signature },
});
const hmac = (key: string | Buffer, body: Buffer, algorithm = 'sha512') =>
  createHmac(algorithm, key).update(body);

/** Wrong signatures of the right bytes, from common mistakes and from attackers. */
const SIGNATURES: ((body: Buffer) => string)[] = [
  (body) => sign(body).toUpperCase(),
  (body) => hmac(TOKEN, body).digest('hex'),
  (body) => hmac(Buffer.from(KEY, 'hex'), body).digest('hex'),
  (body) => signatureOf(body, 'sec_another'),
  (body) => hmac('', body).digest('hex'),
  (body) => hmac(KEY, body, 'sha256').digest('hex'),
  (body) => hmac(KEY, body).digest('base64'),
  (body) => `sha512=${sign(body)}`,
  (body) => sign(body).slice(0, -1),
  (body) => `${sign(body)}0`,
  (body) => `${sign(body)}, ${sign(body)}`,
  (body) => createHash('sha512').update(body).digest('hex'),
  () => '0'.repeat(128),
  () => '',
];

/** Bodies that a proxy, a framework or an attacker changed after they were signed. */
const BODIES: ((text: string) => string)[] = [
  (text) => `${text}\n`,
  (text) => ` ${text}`,
  (text) => JSON.stringify(JSON.parse(text), null, 2),
  (text) => text.replace('collection', '\\u0063ollection'),
  (text) => text.replace('"reference":"', '"reference":"x'),
  (text) => text.replace('92.50', '92.51'),
  (text) => text.replace('{', '{"data":{},'),
  (text) => text + text,
  (text) => `${'['.repeat(50_000)}${text}`,
  () => '',
];

const share = fc.double({ min: 0, max: 0.999, noNaN: true });
const event = fc.record({
  event: fc.constantFrom('collection.successful', 'collection.failed', 'collection.of-tomorrow'),
  data: fc.record({
    reference: fc.stringMatching(/^[A-Za-z0-9._-]{1,40}$/).filter((text) => !/^\.\.?$/.test(text)),
    status: fc.constant('successful'),
    amount: fc.constant('92.50'),
    note: fc.constant(SECRETS.slice(2).join(' ')),
  }),
});

const spoiled: fc.Arbitrary<Webhook> = fc
  .record({
    text: event.map((sound) => JSON.stringify(sound)),
    spoil: fc.oneof(
      fc.tuple(share, fc.integer({ min: 1, max: 255 })).map(([at, bits]) => (text: string) => {
        const body = Buffer.from(text);
        body[Math.floor(at * body.length)]! ^= bits;
        return signed(body, sign(Buffer.from(text)));
      }),
      fc.tuple(share, fc.integer({ min: 1, max: 15 })).map(([at, bits]) => (text: string) => {
        const digits = [...sign(Buffer.from(text))];
        const place = Math.floor(at * digits.length);
        digits[place] = (Number.parseInt(digits[place]!, 16) ^ bits).toString(16);
        return signed(Buffer.from(text), digits.join(''));
      }),
      fc.constantFrom(...SIGNATURES).map((forge) => (text: string) => {
        const body = Buffer.from(text);
        return signed(body, forge(body));
      }),
      fc.constantFrom(...BODIES).map((change) => (text: string) => {
        return signed(Buffer.from(change(text)), sign(Buffer.from(text)));
      }),
      fc
        .constantFrom('x-signature', `${NAME}-512`, 'servicepay-signature')
        .map((name) => (text: string) => ({
          body: Buffer.from(text),
          headers: { [name]: sign(Buffer.from(text)) },
        })),
      fc
        .string({ unit: 'binary', maxLength: 140 })
        .map((signature) => (text: string) => signed(Buffer.from(text), signature)),
    ),
  })
  .map(({ text, spoil }) => spoil(text));

test('a spoiled webhook is rejected, and its error shows neither token nor body (F7, T81, T88)', {
  timeout: PATIENT_MS,
}, () => {
  fc.assert(
    fc.property(spoiled, ({ body, headers }) => {
      expect(failureOf(() => verifyWebhook(body, headers, [TOKEN, 'sec_before']))).toBe(
        'signature_invalid',
      );
    }),
    { numRuns: WEBHOOKS },
  );
});

test('a signed webhook is read, or rejected as no event, and its error shows none of it (F7)', {
  timeout: PATIENT_MS,
}, () => {
  const anyBody = fc.oneof(
    fc.uint8Array({ maxLength: 200 }),
    fc.json().map((text) => Buffer.from(`${text}${SECRETS[2]}`)),
    fc.json().map((text) => Buffer.from(`{"event":${text},"data":"${SECRETS[3]}"}`)),
  );
  fc.assert(
    fc.property(event, anyBody, (sound, bytes) => {
      const whole = Buffer.from(JSON.stringify(sound));
      const { reference } = sound.data;
      expect(verifyWebhook(whole, { [NAME]: sign(whole) }, ['sec_new', TOKEN])).toEqual({
        event: sound.event,
        reference,
      });
      const body = Buffer.from(bytes);
      const rejected = failureOf(() => verifyWebhook(body, { [NAME]: sign(body) }, [TOKEN]));
      expect(rejected ?? 'invalid_request').toBe('invalid_request');
    }),
    { numRuns: WEBHOOKS / 10 },
  );
});

function failureOf(task: () => unknown): string | undefined {
  try {
    task();
    return undefined;
  } catch (error) {
    const shown = inspect(error, { depth: 9 });
    expect(SECRETS.filter((secret) => shown.includes(secret))).toEqual([]);
    return (error as PaymentsError).code;
  }
}
