import type { ServerResponse } from 'node:http';
import {
  collectionResponse,
  DATABASES,
  ManualClock,
  startUpstream,
} from '@service-pay/server/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { letMinutesPass, startTestShop, type TestBrowser, type TestShop } from '../shop.ts';

let upstream: Awaited<ReturnType<typeof startUpstream>>;
let shop: TestShop;
let clock: ManualClock;
let browser: TestBrowser;
let statuses: Map<string, string>;

describe.each(DATABASES)('the payments of one order, on %s', (kind) => {
  beforeEach(async () => {
    statuses = new Map();
    upstream = await startUpstream((req, res) => respond(req.url!.split('/').at(-1)!, res));
    clock = new ManualClock();
    shop = await startTestShop(upstream.url, { clock }, {}, kind);
    browser = shop.browser();
  });

  afterEach(async () => {
    await shop.close();
    await upstream.close();
  });

  test('all payments of an order show the newest while none is paid (T115, T116)', async () => {
    const { first, second } = await orderTwice();
    statuses.set(second, 'pay-offline');

    const { json } = await browser.verify(first);

    expect(json.data).toEqual({
      reference: second,
      status: 'pending',
      amount: '92.50',
      currency: 'ZMW',
      isWaitingForCustomer: true,
    });
    expect(await readFirstEvent(first)).toMatchObject({
      reference: second,
      status: 'pending',
      isWaitingForCustomer: true,
    });
  });

  test('all payments of an order show the one that was paid, even if that was an older one (T116)', async () => {
    const { first, second } = await orderTwice();
    statuses.set(first, 'successful');

    for (const reference of [first, second]) {
      await letMinutesPass(2, { shop, clock, calls: upstream.calls });
      expect((await browser.verify(reference)).json).toMatchObject({
        message: 'The order is paid.',
        data: { reference: first, status: 'successful', isWaitingForCustomer: false },
      });
    }
    expect(await readFirstEvent(second)).toMatchObject({ reference: first, status: 'successful' });
    expect(await browser.post(`/api/payments/${second}/retry`)).toMatchObject({
      status: 400,
      json: { errorCode: '04' },
    });
  });

  test('all payments of an order show the one in review (T116)', async () => {
    const { first, second } = await orderTwice();
    statuses.set(second, 'successful of another amount');

    await browser.verify(second);
    await clock.jump(2_000);

    expect((await browser.verify(first)).json).toMatchObject({
      message: 'The payment arrived and the shop is looking at it. Do not pay again.',
      data: { reference: second, status: 'pending' },
    });
  });

  test('all payments of an order show the newest even if an older one cannot be verified', async () => {
    const { first, second } = await orderTwice();
    statuses.set(first, 'out of order');
    statuses.set(second, 'pending');

    expect((await browser.verify(first)).json.data).toMatchObject({
      reference: second,
      status: 'pending',
    });
  });

  test('an order that is placed again under its Idempotency-Key gets its newest payment (T67)', async () => {
    const once = { 'idempotency-key': 'key' };
    const order = {
      items: [{ sku: 'honey-500', quantity: 1 }],
      customer: { email: 'mary@example.com' },
    };
    const first = (await browser.post('/api/orders', order, once)).json.data.reference;
    const second = await failAndRetry(first);

    expect((await browser.post('/api/orders', order, once)).json.data.reference).toBe(second);
  });
});

function respond(reference: string, res: ServerResponse): void {
  const status = statuses.get(reference);
  if (status === 'out of order') res.writeHead(503).end();
  else if (status === 'successful of another amount')
    res.end(collectionResponse(reference, { amount: '1.00' }));
  else if (status) res.end(collectionResponse(reference, { status }));
  else res.writeHead(404).end('{"status":false,"message":"","errorCode":"11"}');
}

async function orderTwice(): Promise<{ first: string; second: string }> {
  const first = await browser.order();
  const second = await failAndRetry(first);
  await letMinutesPass(1, { shop, clock, calls: upstream.calls });
  return { first, second };
}

async function failAndRetry(reference: string): Promise<string> {
  statuses.set(reference, 'failed');
  await browser.verify(reference);
  await clock.jump(2_000);
  return (await browser.post(`/api/payments/${reference}/retry`)).json.data.reference;
}

async function readFirstEvent(reference: string): Promise<unknown> {
  const response = await browser.open('GET', `/api/payments/${reference}/events`);
  let text = '';
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    const event = /data: (.*)\n\n/.exec(text);
    if (event) return JSON.parse(event[1]!);
  }
  return undefined;
}
