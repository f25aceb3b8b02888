import { createHash, createHmac } from 'node:crypto';
import { copyFile, rename } from 'node:fs/promises';
import { connect } from 'node:net';
import type { Sandbox } from '@service-pay/sandbox';
import {
  collectionAnswer,
  ManualClock,
  signatureOf,
  signedWebhook,
  startUpstream,
  TOKEN,
} from '@service-pay/server/testing';
import SqliteFile from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { PATIENT } from '../../lab/patience.ts';
import { sendRaw, startShopWithSandbox, startTestShop, type TestShop } from '../shop.ts';

const PATH = '/webhooks/service-pay';

let started: Awaited<ReturnType<typeof startShopWithSandbox>>;
let shop: TestShop;
let sandbox: Sandbox;

beforeAll(async () => {
  started = await startShopWithSandbox({ hooks: { answerWithinMs: undefined } });
  ({ shop, sandbox } = started);
});

afterAll(() => started.close());

async function deliver(
  body: string | Buffer,
  signature: string | undefined = signatureOf(body),
  headers: Record<string, string> = {},
) {
  return shop.browser().send('POST', PATH, typeof body === 'string' ? Buffer.from(body) : body, {
    'content-type': 'application/json',
    ...(signature !== undefined && { 'x-servicepay-signature': signature }),
    ...headers,
  });
}

const event = (reference: unknown, members: object = {}) =>
  JSON.stringify({ event: 'collection.successful', data: { reference, ...members } });
const fileOf = ({ config }: TestShop) => config.databaseUrl.slice('file:'.length);
const countStored = async () =>
  (await shop.rows<{ n: number }>('select count(*) as n from service_pay_webhook_deliveries'))[0]!
    .n;

describe('a delivery', () => {
  test('of a payment that was made is stored, answered, and confirmed behind the answer (D54)', async () => {
    const reference = await shop.browser().order();

    await sandbox.control.putCollection({ reference, amount: '92.50', notify: true });

    await vi.waitFor(async () => expect(await shop.stateOf(reference)).toBe('paid'), PATIENT);
    expect(
      await shop.rows(
        'select event, reference from service_pay_webhook_deliveries where reference = ?',
        reference,
      ),
    ).toEqual([{ event: 'collection.successful', reference }]);
    const [delivery] = (await sandbox.control.webhooks()).filter(({ body }) =>
      JSON.stringify(body).includes(reference),
    );
    expect(JSON.stringify(delivery)).toContain('200');
  });

  test.each([
    ['missing', undefined],
    ['empty', ''],
    ['short', 'a'.repeat(127)],
    ['long', 'a'.repeat(129)],
    ['in capitals', signatureOf(event('x')).toUpperCase()],
    ['prefixed', `sha512=${signatureOf(event('x'))}`],
    ['of another token', signatureOf(event('x'), 'sec_sandbox_other')],
    ['of the token as it stands', createHmac('sha512', TOKEN).update(event('x')).digest('hex')],
    [
      'keyed with the raw digest',
      createHmac('sha512', createHash('sha256').update(TOKEN).digest())
        .update(event('x'))
        .digest('hex'),
    ],
    [
      'made with SHA-256',
      createHmac('sha256', createHash('sha256').update(TOKEN).digest('hex'))
        .update(event('x'))
        .digest('hex'),
    ],
    ['in base64', Buffer.from(signatureOf(event('x')), 'hex').toString('base64')],
    ['of an old token', signatureOf(event('x'), 'sec_before_the_last_one')],
  ])(
    'with a signature that is %s is 401·09 and writes nothing (T81, T83)',
    async (_name, signature) => {
      const before = await countStored();

      const answer = await shop.browser().send('POST', PATH, event('x'), {
        ...(signature !== undefined && { 'x-servicepay-signature': signature }),
      });

      expect(answer).toMatchObject({ status: 401, json: { status: false, errorCode: '09' } });
      expect(await countStored()).toBe(before);
    },
  );

  test('whose signature comes twice, or whose body was touched, is 401·09 (T81, T82)', async () => {
    const body = event('x');

    expect(
      (
        await sendRaw(shop.url, PATH, {
          method: 'POST',
          headers: [
            'X-ServicePay-Signature',
            signatureOf(body),
            'X-ServicePay-Signature',
            signatureOf(body),
            'Content-Length',
            String(body.length),
          ],
          body,
        })
      ).status,
    ).toBe(401);
    expect((await deliver(`${body}\n`, signatureOf(body))).status).toBe(401);
    expect(
      (await deliver(JSON.stringify(JSON.parse(body), null, 1), signatureOf(body))).status,
    ).toBe(401);
  });

  test('again and again is 200, one row, and one fulfilment (T84)', async () => {
    const reference = await shop.browser().order();
    await sandbox.control.putCollection({ reference, amount: '92.50' });
    const body = event(reference);

    const answers = await Promise.all(Array.from({ length: 10 }, () => deliver(body)));
    await vi.waitFor(async () => expect(await shop.stateOf(reference)).toBe('paid'), PATIENT);
    const others = await Promise.all([
      deliver(body),
      deliver(`${body} `),
      deliver(event(reference, { id: 1 })),
    ]);

    expect([...answers, ...others].map(({ status }) => status)).toEqual(Array(13).fill(200));
    expect(
      await shop.rows(
        'select id from service_pay_webhook_deliveries where reference = ?',
        reference,
      ),
    ).toHaveLength(3);
    expect(
      await shop.rows('select * from service_pay_fulfilments where reference = ?', reference),
    ).toHaveLength(1);
  });

  test('that lies about a payment changes nothing: the verify call of its reference decides, and nothing else of it is used (T85)', async () => {
    const upstream = await startUpstream(
      (req, res) => void res.end(collectionAnswer(req.url ?? '', { status: 'pending' })),
    );
    const lied = await startTestShop(upstream.url, { clock: new ManualClock() });
    const browser = lied.browser();
    const [reference, other] = [await browser.order(), await browser.order()];
    const found = `${upstream.url}/found-in-the-payload`;
    const data = {
      reference,
      id: other,
      status: 'successful',
      amount: '92.50',
      currency: 'ZMW',
      url: found,
      order: { reference: other },
    };
    const { body, headers } = signedWebhook('collection.successful', data);

    expect((await browser.post(PATH, body, headers)).status).toBe(200);

    const confirmed = 'service_pay_confirms_total{trigger="webhook",result="unchanged"} 1\n';
    await vi.waitFor(
      async () => expect((await browser.get('/metrics')).text).toContain(confirmed),
      PATIENT,
    );
    expect(await Promise.all([reference, other].map(lied.stateOf))).toEqual([
      'awaiting-payment',
      'awaiting-payment',
    ]);
    expect(await lied.rows('select * from service_pay_fulfilments')).toEqual([]);
    expect(upstream.calls).toEqual([expect.stringMatching(new RegExp(`/${reference}$`))]);
    await lied.close();
    await upstream.close();
  });

  test.each([
    ['of a reference nobody here knows (T86)', event('of-another-system')],
    [
      'of an event we do not act on (T87)',
      JSON.stringify({ event: 'collection.settled', data: { reference: 'of-another-system' } }),
    ],
    [
      'of an event nobody knows, with new members (T87)',
      JSON.stringify({ event: 'of.tomorrow', version: 9, data: { reference: 'x', more: {} } }),
    ],
    ['without data (T88)', JSON.stringify({ event: 'collection.successful', data: null })],
    ['with a list for data (T88)', JSON.stringify({ event: 'collection.successful', data: [] })],
    ['with a number for a reference (T88)', event(7)],
    ['with dots for a reference (T88)', event('..')],
    [
      'with a member given twice (T88)',
      '{"event":"a","event":"b","data":{"reference":"x","reference":"y"}}',
    ],
    [
      'very deep (T88)',
      `{"event":"a","data":{"reference":"deep","more":${'['.repeat(20_000)}${']'.repeat(20_000)}}}`,
    ],
  ])('%s is stored and answered 200', async (_name, body) => {
    const before = await countStored();

    expect((await deliver(body)).status).toBe(200);
    expect(await countStored()).toBe(before + 1);
  });

  test.each([
    ['no JSON', 'hello'],
    ['not UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d])],
    ['null', 'null'],
    ['a list', '[]'],
    ['an event that is no text', '{"event":7}'],
    ['empty', ''],
  ])('in which no event can be read (%s) is 400·01, never 500 (T88)', async (_name, body) => {
    expect(await deliver(body)).toMatchObject({
      status: 400,
      json: { status: false, errorCode: '01' },
    });
  });

  test('is judged by its signature whatever type it claims; packed is 415; larger than 64 kB is 413 (T89)', async () => {
    const body = event('typed');

    expect(
      (await deliver(body, signatureOf(body), { 'content-type': 'text/x-odd; charset=utf-7' }))
        .status,
    ).toBe(200);
    expect(await deliver(body, signatureOf(body), { 'content-encoding': 'gzip' })).toMatchObject({
      status: 415,
      json: { errorCode: '01' },
    });
    const large = Buffer.alloc(64 * 1024 + 1, 32);
    expect(await deliver(large)).toMatchObject({ status: 413, json: { errorCode: '01' } });
    expect(
      (
        await deliver(
          Buffer.concat([
            Buffer.from(event('full')),
            Buffer.alloc(64 * 1024 - event('full').length, 32),
          ]),
        )
      ).status,
    ).toBe(200);
  });

  test('is 503 while the database is held, never 200 (T92)', async () => {
    const held = new SqliteFile(fileOf(shop));
    held.exec('begin immediate');

    const answer = await deliver(event('held'));
    held.exec('rollback');
    held.close();

    expect(answer).toMatchObject({ status: 503, json: { status: false, errorCode: '10' } });
    expect(answer.headers.get('retry-after')).toBeTruthy();
    expect((await deliver(event('held'))).status).toBe(200);
  });

  test('is 503 once the database file was removed or replaced, and the shop is not ready then (T92)', async () => {
    const lost = await startTestShop(sandbox.url);
    const browser = lost.browser();
    const send = (body: string) =>
      browser.send('POST', PATH, body, { 'x-servicepay-signature': signatureOf(body) });
    expect((await send(event('before'))).status).toBe(200);

    await rename(fileOf(lost), `${fileOf(lost)}.moved`);
    const removed = await send(event('removed'));
    await copyFile(`${fileOf(lost)}.moved`, fileOf(lost));
    const replaced = await send(event('replaced'));

    expect(removed).toMatchObject({ status: 503, json: { errorCode: '10' } });
    expect(replaced).toMatchObject({ status: 503, json: { errorCode: '10' } });
    expect(await browser.get('/readyz')).toMatchObject({ status: 503, json: { errorCode: '10' } });
    await lost.close();
  });

  test('signed with the token before is accepted while that is set (D41, T94)', async () => {
    const renewed = await startTestShop(
      sandbox.url,
      {},
      { SERVICE_PAY_API_TOKEN: 'sec_renewed_1', SERVICE_PAY_API_TOKEN_PREVIOUS: TOKEN },
    );
    const body = event('renewed');
    const send = (signature: string) =>
      renewed.browser().send('POST', PATH, body, { 'x-servicepay-signature': signature });

    expect((await send(signatureOf(body))).status).toBe(200);
    expect((await send(signatureOf(body, 'sec_renewed_1'))).status).toBe(200);
    expect((await send(signatureOf(body, 'sec_sandbox_other'))).status).toBe(401);
    await renewed.close();
  });
});

test('a sender that never ends its headers is cut off (T90)', async () => {
  const socket = connect(Number(new URL(shop.url).port), '127.0.0.1');
  let answer = '';
  socket.on('data', (data) => {
    answer += data;
  });
  socket.write(`POST ${PATH} HTTP/1.1\r\nHost: x\r\n`);

  await new Promise((resolve) => socket.once('close', resolve));

  expect(answer).toMatch(/^HTTP\/1\.1 408 /);
});
