import { createHash, createHmac } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import fc from 'fast-check';
import { Pool } from 'undici';
import { TOKEN } from '../shop/shop-process.ts';
import { CANARIES } from './canaries.ts';
import type { GarbageScene } from './garbage-scene.ts';

const AT_ONCE = 32;
const SOUND_EVERY = 50;

const SENT_AGAIN_FOR_MS = 30_000;
const SEND_AGAIN_MS = 50;
const KEY = createHash('sha256').update(TOKEN).digest('hex');

const hmac = (key: string | Buffer, body: Buffer, algorithm = 'sha512') =>
  createHmac(algorithm, key).update(body);
const sign = (body: Buffer) => hmac(KEY, body).digest('hex');

/** Wrong signatures of the right bytes, from common mistakes and from attackers. */
const SIGNATURES = {
  'in capitals': (body: Buffer) => sign(body).toUpperCase(),
  'with the token as key': (body: Buffer) => hmac(TOKEN, body).digest('hex'),
  'with the digest itself as key': (body: Buffer) =>
    hmac(createHash('sha256').update(TOKEN).digest(), body).digest('hex'),
  'of another token': (body: Buffer) =>
    hmac(createHash('sha256').update('sec_another').digest('hex'), body).digest('hex'),
  'of no key': (body: Buffer) => hmac('', body).digest('hex'),
  'by SHA-256': (body: Buffer) => hmac(KEY, body, 'sha256').digest('hex'),
  'in base64': (body: Buffer) => hmac(KEY, body).digest('base64'),
  'with a name before it': (body: Buffer) => `sha512=${sign(body)}`,
  'cut short': (body: Buffer) => sign(body).slice(0, -1),
  'a digit too long': (body: Buffer) => `${sign(body)}0`,
  twice: (body: Buffer) => `${sign(body)}, ${sign(body)}`,
  'a plain digest': (body: Buffer) => createHash('sha512').update(body).digest('hex'),
  nothing: () => '',
  'a canary': () => CANARIES.join('-'),
  zeros: () => '0'.repeat(128),
} satisfies Record<string, (body: Buffer) => string>;

const BODIES = {
  'with a line at its end': (text: string) => `${text}\n`,
  'with a blank before it': (text: string) => ` ${text}`,
  'written anew': (text: string) => JSON.stringify(JSON.parse(text), null, 2),
  'with escaped letters': (text: string) => text.replace('collection', '\\u0063ollection'),
  'with another reference': (text: string) => text.replace('"reference":"', '"reference":"x'),
  'with another amount': (text: string) => text.replace('92.50', '92.51'),
  'with a second data': (text: string) => text.replace('{', '{"data":{},'),
  twice: (text: string) => text + text,
  'deep in brackets': (text: string) => `${'['.repeat(50_000)}${text}`,
  'beyond what is taken': (text: string) => `${text}${' '.repeat(1_200_000)}`,
  empty: () => '',
} satisfies Record<string, (text: string) => string>;

const HEADERS = [
  'x-signature',
  'x-servicepay-signature-512',
  'servicepay-signature',
  'x-servicepay_signature',
];

const share = fc.double({ min: 0, max: 0.999, noNaN: true });

const change = fc.oneof(
  { arbitrary: fc.record({ byte: fc.integer({ min: 1, max: 255 }), at: share }), weight: 6 },
  { arbitrary: fc.record({ digit: fc.integer({ min: 1, max: 15 }), at: share }), weight: 6 },
  {
    arbitrary: fc.record({
      signature: fc.constantFrom(...(Object.keys(SIGNATURES) as (keyof typeof SIGNATURES)[])),
    }),
    weight: 6,
  },
  // Large ones are rare, since they only take time.
  {
    arbitrary: fc.record({
      body: fc.constantFrom(...(Object.keys(BODIES) as (keyof typeof BODIES)[])),
    }),
    weight: 3,
  },
  { arbitrary: fc.record({ header: fc.constantFrom(...HEADERS) }), weight: 1 },
  { arbitrary: fc.record({ random: fc.uint8Array({ maxLength: 200 }) }), weight: 2 },
);
const mutatedWebhook = fc.record({
  reference: fc.stringMatching(/^[A-Za-z0-9._-]{1,40}$/),
  event: fc.constantFrom('collection.successful', 'collection.failed', 'collection.of-tomorrow'),
  change,
});
type MutatedWebhook = typeof mutatedWebhook extends fc.Arbitrary<infer Value> ? Value : never;

export async function feedWebhooks(scene: GarbageScene, count: number): Promise<void> {
  const { findings } = scene;
  const pool = new Pool(`http://localhost:${scene.port}`, { connections: AT_ONCE });
  const storedBefore = await countStored(scene);
  let sent = 0;
  let sound = 0;
  let accepted = 0;
  let refusedSound = 0;

  const post = async (body: Buffer, headers: Record<string, string>) => {
    const answer = await pool
      .request({
        path: '/webhooks/service-pay',
        method: 'POST',
        body,
        headers: { 'content-type': 'application/json', ...headers },
      })
      .catch(() => undefined);
    const text = (await answer?.body.text().catch(() => '')) ?? '';
    scene.searchForSecrets(text, 'an answer to a webhook');
    return { status: answer?.statusCode, text };
  };

  const postUntilTaken = async (body: Buffer) => {
    for (const began = performance.now(); ; await pause(SEND_AGAIN_MS)) {
      const { status } = await post(body, { 'x-servicepay-signature': sign(body) });
      if (status !== 503 || performance.now() - began > SENT_AGAIN_FOR_MS) return status;
    }
  };

  await scene.feed(mutatedWebhook, count, AT_ONCE, async (mutated) => {
    const { body, headers } = write(mutated);
    const { status, text } = await post(body, headers);
    if (status !== undefined && status < 300) {
      accepted += 1;
      scene.fail('a spoiled webhook was accepted', mutated);
    } else if (
      status === undefined
        ? body.length < 100_000
        : status >= 500 || !text.startsWith('{"status":false')
    ) {
      scene.fail(`a spoiled webhook was answered ${status}`, mutated);
    }
    if (++sent % SOUND_EVERY) return;
    const whole = Buffer.from(
      JSON.stringify({ event: 'collection.of-tomorrow', number: findings.random.draw() }),
    );
    sound += 1;
    if ((await postUntilTaken(whole)) !== 200) refusedSound += 1;
  });
  await pool.destroy();

  findings.figures.webhooks = sent;
  findings.limit('spoiled webhooks accepted', accepted, 0);
  findings.limit('spoiled webhooks stored', (await countStored(scene)) - storedBefore - sound, 0);
  findings.limit('sound webhooks refused', refusedSound, 0);
}

async function countStored({ database }: GarbageScene): Promise<number> {
  const [stored] = await database.rows<{ count: number | string }>(
    'select count(*) as count from service_pay_webhook_deliveries',
  );
  return Number(stored?.count);
}

function write({ reference, event, change: made }: MutatedWebhook): {
  body: Buffer;
  headers: Record<string, string>;
} {
  const text = JSON.stringify({
    event,
    data: {
      reference,
      status: 'successful',
      amount: '92.50',
      currency: 'ZMW',
      note: CANARIES.join(' '),
    },
  });
  const body = Buffer.from(text);
  const headers = (signature: string) => ({ 'x-servicepay-signature': signature });
  if ('byte' in made) {
    const changed = Buffer.from(body);
    const place = Math.floor(made.at * body.length);
    changed[place] = changed[place]! ^ made.byte;
    return { body: changed, headers: headers(sign(body)) };
  }
  if ('digit' in made) {
    const signature = sign(body);
    const place = Math.floor(made.at * signature.length);
    const digit = (Number.parseInt(signature[place]!, 16) ^ made.digit).toString(16);
    return {
      body,
      headers: headers(signature.slice(0, place) + digit + signature.slice(place + 1)),
    };
  }
  if ('signature' in made) return { body, headers: headers(SIGNATURES[made.signature](body)) };
  if ('body' in made)
    return { body: Buffer.from(BODIES[made.body](text)), headers: headers(sign(body)) };
  if ('header' in made) return { body, headers: { [made.header]: sign(body) } };
  return { body: Buffer.from(made.random), headers: headers(sign(body)) };
}
