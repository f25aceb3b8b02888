import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { buildBrowserCookie } from '@service-pay/bff-example/browser-cookie';
import { errorHandler, limitBrowsers, limitOrders } from '@service-pay/server/express';
import { startUpstream } from '@service-pay/server/testing';
import express, { type RequestHandler } from 'express';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { ONE_HONEY, startTestShop, type TestShop } from '../shop.ts';

let shop: TestShop;

// Time stands still, so that all requests of a test come in one window, however slow the machine is.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
  return () => void vi.useRealTimers();
});

const start = async (environment: Record<string, string> = {}) => {
  const upstream = await startUpstream((_req, res) =>
    res.writeHead(404).end('{"status":false,"message":"","errorCode":"11"}'),
  );
  shop = await startTestShop(upstream.url, {}, environment);
  onTestFinished(async () => {
    await shop.close();
    await upstream.close();
  });
};

async function countRejected(
  count: number,
  send: () => Promise<{ status: number }>,
): Promise<number> {
  const responses = await Promise.all(Array.from({ length: count }, send));
  return responses.filter(({ status }) => status === 429).length;
}

async function serveBehind(limit: RequestHandler) {
  const cookie = buildBrowserCookie('http://localhost', 'a-secret');
  const app = express().set('trust proxy', 1);
  app.get('/', (req, res) => {
    cookie.ensure(req, res);
    res.json({});
  });
  app.post('/', limit, (_req, res) => void res.json({}));
  app.use(errorHandler);
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const post = (address: string, headers: Record<string, string> = {}) =>
    fetch(url, { method: 'POST', headers: { 'x-forwarded-for': address, ...headers } });
  return { url, post };
}

test('too many orders from one address are 429 with Retry-After, and orders of others go on (T74)', async () => {
  await start({ TRUST_PROXY: '1' });
  const browser = shop.browser();
  const orderFrom = (address: string) =>
    browser.post('/api/orders', {}, { 'x-forwarded-for': address });

  expect(await countRejected(150, () => orderFrom('192.0.2.1'))).toBe(50);
  const rejected = await orderFrom('192.0.2.1');

  expect(rejected).toMatchObject({ status: 429, json: { status: false, errorCode: '10' } });
  expect(Number(rejected.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(
    (await shop.browser().post('/api/orders', ONE_HONEY, { 'x-forwarded-for': '192.0.2.2' }))
      .status,
  ).toBe(201);
});

test('further payments are limited as orders are, and count with them (T74)', async () => {
  await start({ TRUST_PROXY: '1' });
  const browser = shop.browser();
  const from = { 'x-forwarded-for': '192.0.2.1' };
  const retry = () => browser.post('/api/payments/unknown/retry', undefined, from);

  expect(await countRejected(60, () => browser.post('/api/orders', {}, from))).toBe(0);
  expect(await countRejected(60, retry)).toBe(20);

  const rejected = await retry();
  expect(rejected).toMatchObject({ status: 429, json: { status: false, errorCode: '10' } });
  expect(Number(rejected.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(
    (
      await browser.post('/api/payments/unknown/retry', undefined, {
        'x-forwarded-for': '192.0.2.2',
      })
    ).status,
  ).toBe(404);
});

test('an order above the limit is rejected before its body is read (T120)', async () => {
  await start();
  await countRejected(100, () => shop.browser().post('/api/orders', {}));

  const half = connect(Number(new URL(shop.url).port), '127.0.0.1');
  half.write(
    'POST /api/orders HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{',
  );
  const [data] = await once(half, 'data');
  half.destroy();

  expect(String(data)).toMatch(/^HTTP\/1\.1 429 /);
  expect(String(data)).toMatch(/^Retry-After: \d+\r$/m);
});

test.each([
  [
    'is the peer, where no proxy stands before the shop: what it says of itself is not read',
    '0',
    (at: number) => `192.0.2.${at}`,
  ],
  [
    'is what the last proxy saw, not what a customer made up before it',
    '1',
    (at: number) => `198.51.100.${at}, 192.0.2.1`,
  ],
  ['is a whole network of IPv6, which one customer has', '1', (at: number) => `2001:db8::${at}`],
])('an address %s (T74)', async (_name, trustProxy, forwarded) => {
  await start({ TRUST_PROXY: trustProxy });
  let at = 0;

  expect(
    await countRejected(150, () =>
      shop.browser().post('/api/orders', {}, { 'x-forwarded-for': forwarded(++at) }),
    ),
  ).toBe(50);
});

test('orders that one address makes for long, slowly, are 429 with the time that is left, and those of others go on (T74)', async () => {
  const limited = await serveBehind(limitOrders({ ofAddressInAnHour: 20 }));

  const rejected = await countRejected(60, () => limited.post('192.0.2.1'));
  const [late, other] = [await limited.post('192.0.2.1'), await limited.post('192.0.2.2')];

  expect(rejected).toBe(40);
  expect(Number(late.headers.get('retry-after'))).toBeGreaterThan(10);
  expect(Number(late.headers.get('retry-after'))).toBeLessThanOrEqual(3_600);
  expect(other.status).toBe(200);
});

test('one address that sends requests from ever new browsers is 429, and another is not (T75)', async () => {
  const limited = await serveBehind(
    limitBrowsers(buildBrowserCookie('http://localhost', 'a-secret').find, 20),
  );
  const postFrom = async (address: string) => {
    // a new browser gets this cookie
    const { headers } = await fetch(limited.url);
    return limited.post(address, { cookie: headers.get('set-cookie')!.split(';', 1)[0]! });
  };

  const rejected = await countRejected(60, () => postFrom('192.0.2.1'));
  const other = await postFrom('192.0.2.2');

  expect(rejected).toBe(40);
  expect(other.status).toBe(200);
});

test('one browser that sends too many requests is 429, and another at the same address is not (T75)', async () => {
  await start();
  const [busy, calm] = [shop.browser(), shop.browser()];
  const [ofBusy, ofCalm] = [await busy.order(), await calm.order()];
  const sends = [
    () => busy.verify(ofBusy),
    () => busy.send('HEAD', `/api/payments/${ofBusy}/events`, undefined, {}),
    () => busy.get(`/payments/return?reference=${ofBusy}`),
  ];
  let at = 0;

  expect(await countRejected(330, () => sends[at++ % 3]!())).toBe(30);
  expect((await calm.verify(ofCalm)).status).toBe(200);
  expect((await calm.get(`/payments/return?reference=${ofCalm}`)).status).toBe(200);
});

test('what an honest shop gets is rejected for nobody: webhooks and many browsers at one address (T74)', async () => {
  await start();
  const browsers = await Promise.all(
    Array.from({ length: 90 }, async () => {
      const browser = shop.browser();
      return { browser, reference: await browser.order() };
    }),
  );

  let at = 0;
  const verifying = () => {
    const { browser, reference } = browsers[at++ % 90]!;
    return browser.verify(reference);
  };
  expect(await countRejected(540, verifying)).toBe(0);
  expect(
    await countRejected(1_000, () =>
      shop.browser().send('POST', '/webhooks/service-pay', '{}', {}),
    ),
  ).toBe(0);
});
