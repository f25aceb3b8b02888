import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Browser } from './browser.ts';

/** Sets the cookie of its query, and returns the cookies that it got. */
const server = createServer(({ url = '', headers }, res) => {
  const cookie = new URL(url, 'http://localhost').searchParams.get('cookie');
  res.writeHead(200, cookie ? { 'set-cookie': cookie } : {}).end(headers.cookie);
});
let shopUrl: string;
beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  shopUrl = `http://localhost:${(server.address() as AddressInfo).port}`;
});
afterAll(() => void server.close());

test.each([
  ['a=1', '/api/orders', '/api/orders/open', 'a=1'],
  ['a=1', '/api/orders', '/api', 'a=1'],
  ['a=1', '/checkout/orders', '/api/orders/open', ''],
  ['a=1; Path=', '/checkout/orders', '/api/orders/open', ''],
  ['a=1; Path=api', '/orders', '/api/orders/open', 'a=1'],
  ['a=1', '/orders', '/api/orders/open', 'a=1'],
  ['a=1; Path=/', '/checkout/orders', '/api/orders/open', 'a=1'],
  ['a=1; Path=/api', '/orders', '/api/orders/open?page=1', 'a=1'],
  ['a=1; Path=/api/', '/orders', '/api/orders/open', 'a=1'],
  ['a=1; Path=/api', '/orders', '/api?page=1', 'a=1'],
  ['a=1; Path=/api', '/orders', '/apiary', ''],
  ['a=1; Path=/api/', '/orders', '/api', ''],
])(
  'a browser that got "%s" from %s sends to %s the cookie "%s"',
  async (cookie, from, to, sent) => {
    const isServiceFaulty = () => false;
    const browser = new Browser({
      shopUrl,
      pageHeaders: [],
      sleep: async () => {},
      isServiceFaulty,
    });
    await browser.call('GET', `${from}?cookie=${encodeURIComponent(cookie)}`);

    expect((await browser.call('GET', to)).text).toBe(sent);
  },
);
