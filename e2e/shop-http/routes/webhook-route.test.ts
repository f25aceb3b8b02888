import { copyFile, rename } from 'node:fs/promises';
import { connect } from 'node:net';
import type { Sandbox } from '@service-pay/sandbox';
import {
  collectionResponse,
  ManualClock,
  signatureOf,
  signedWebhook,
  startUpstream,
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
  started = await startShopWithSandbox({ hooks: { respondWithinMs: undefined } });
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
  test('a webhook whose signature comes twice is 401·09 (T81)', async () => {
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
  });

  test('a webhook that lies about a payment changes nothing: the verify call of its reference decides, and nothing else of it is used (T85)', async () => {
    const upstream = await startUpstream(
      (req, res) => void res.end(collectionResponse(req.url ?? '', { status: 'pending' })),
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
  ])('a webhook %s is stored and gets 200', async (_name, body) => {
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
  ])(
    'a webhook in which no event can be read (%s) is 400·01, never 500 (T88)',
    async (_name, body) => {
      expect(await deliver(body)).toMatchObject({
        status: 400,
        json: { status: false, errorCode: '01' },
      });
    },
  );

  test('a webhook is judged by its signature whatever type it claims; packed is 415; larger than 64 kB is 413 (T89)', async () => {
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

  test('a webhook is 503 while the database is locked, never 200 (T92)', async () => {
    const held = new SqliteFile(fileOf(shop));
    held.exec('begin immediate');

    const response = await deliver(event('held'));
    held.exec('rollback');
    held.close();

    expect(response).toMatchObject({ status: 503, json: { status: false, errorCode: '10' } });
    expect(response.headers.get('retry-after')).toBeTruthy();
    expect((await deliver(event('held'))).status).toBe(200);
  });

  test('a webhook is 503 once the database file was removed or replaced, and the shop is not ready then (T92)', async () => {
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
});

test('a sender that never ends its headers is cut off (T90)', async () => {
  const socket = connect(Number(new URL(shop.url).port), '127.0.0.1');
  let response = '';
  socket.on('data', (data) => {
    response += data;
  });
  socket.write(`POST ${PATH} HTTP/1.1\r\nHost: x\r\n`);

  await new Promise((resolve) => socket.once('close', resolve));

  expect(response).toMatch(/^HTTP\/1\.1 408 /);
});
