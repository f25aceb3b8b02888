import { rename } from 'node:fs/promises';
import type { Sandbox } from '@service-pay/sandbox';
import { collectionResponse, ManualClock, startUpstream } from '@service-pay/server/testing';
import SqliteFile from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { findFreePort } from '../../../scripts/programs/server-program.ts';
import { PATIENT } from '../../lab/patience.ts';
import {
  sendRaw,
  startShopWithSandbox,
  startTestShop,
  TestBrowser,
  type TestShop,
} from '../shop.ts';

let started: Awaited<ReturnType<typeof startShopWithSandbox>>;
let shop: TestShop;
let sandbox: Sandbox;

beforeAll(async () => {
  started = await startShopWithSandbox();
  ({ shop, sandbox } = started);
});

afterAll(() => started.close());

test('a path with a final slash gets the same response (T132)', async () => {
  const browser = shop.browser();
  const reference = await browser.order();
  const path = `/api/payments/${reference}`;

  const verified = await browser.post(`${path}/verify/`);
  const retried = await browser.post(`${path}/retry/`);
  const events = await browser.open('GET', `${path}/events/`);
  await events.body!.cancel();
  const unsigned = await browser.post('/webhooks/service-pay/', '{}');

  expect([verified, retried, events, unsigned].map(({ status }) => status)).toEqual([
    200, 200, 200, 401,
  ]);
});

describe('verify', () => {
  test('verify of a paid order says when and how it was paid', async () => {
    const browser = shop.browser();
    const reference = await browser.order();
    const { completedAt } = await sandbox.control.putCollection({ reference, amount: '92.50' });

    expect((await browser.verify(reference)).json.data).toMatchObject({
      paidAt: completedAt,
      paidWith: { channel: 'mobile-money', label: 'Airtel •• 1111' },
    });
  });

  test.each([
    ['awaiting-payment', 'pending', 'The payment is not confirmed yet.'],
    ['paid', 'successful', 'The order is paid.'],
    ['failed', 'failed', 'The payment did not go through. You can pay again for the same order.'],
    ['expired', 'failed', 'Nobody has paid this order yet. You can still pay it.'],
    [
      'needs-review',
      'pending',
      'The payment arrived and the shop is looking at it. Do not pay again.',
    ],
    [
      'refused',
      'failed',
      'The shop looked at the payment and did not accept it. Ask the shop about your money before you pay again.',
    ],
  ])(
    'verify of a payment that is %s says %s, and nothing more than a page may see (D57)',
    async (state, status, message) => {
      const browser = shop.browser();
      const reference = await browser.order();
      const db = new SqliteFile(shop.config.databaseUrl.slice('file:'.length));
      db.prepare('update service_pay_payments set state = ? where reference = ?').run(
        state,
        reference,
      );
      db.close();

      const { json } = await browser.verify(reference);

      const more = {
        paid: { paidAt: expect.stringMatching(/^20.*Z$/) },
        refused: { mustContactShop: true },
        'needs-review': { isInReview: true },
      }[state];
      expect(json).toEqual({
        status: true,
        message,
        data: {
          reference,
          status,
          amount: '92.50',
          currency: 'ZMW',
          isWaitingForCustomer: false,
          ...more,
        },
      });
    },
  );

  test('verify waits ten seconds at most, and what the service reports later still counts (F6)', async () => {
    const called = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    const upstream = await startUpstream(async (req, res) => {
      called.resolve();
      await released.promise;
      res.end(collectionResponse(req.url!));
    });
    const clock = new ManualClock();
    const hanging = await startTestShop(upstream.url, { clock });
    const browser = hanging.browser();
    const reference = await browser.order();

    const verifying = browser.verify(reference);
    await called.promise;
    await clock.advance(10_000);
    expect(await verifying).toMatchObject({
      status: 503,
      json: { status: false, errorCode: '10' },
    });

    released.resolve();
    await vi.waitFor(async () => expect(await hanging.stateOf(reference)).toBe('paid'), PATIENT);
    await hanging.close();
    await upstream.close();
  });

  test('a reference outside the alphabet is 400·01 before anything is looked up, and one escaped line in the log (T68)', async () => {
    const lost = await startTestShop(sandbox.url);
    const browser = lost.browser();
    const own = await browser.order();
    const file = lost.config.databaseUrl.slice('file:'.length);
    await rename(file, `${file}.moved`);
    const callAll = async (reference: string) => {
      const cookie = ['Cookie', browser.cookie];
      const headers = [...cookie, 'Content-Length', '0'];
      return [
        await sendRaw(lost.url, `/api/payments/${reference}/verify`, { method: 'POST', headers }),
        await sendRaw(lost.url, `/api/payments/${reference}/retry`, { method: 'POST', headers }),
        await sendRaw(lost.url, `/api/payments/${reference}/events`, { headers: cookie }),
      ];
    };

    expect((await callAll(own)).map(({ status }) => status)).toEqual([503, 503, 503]);
    for (const reference of [
      '..%2f..%2frefund',
      '%2e%2e',
      'a%0d%0ab',
      'a%00',
      'x'.repeat(5_000),
      'a%2fb',
      '%C3%A9',
      'a%20b',
    ]) {
      for (const response of await callAll(reference)) {
        expect(response, reference).toMatchObject({
          status: 400,
          json: { status: false, errorCode: '01' },
        });
        const lines = lost.lines.filter((line) =>
          line.includes(response.headers.get('x-request-id')!),
        );
        expect(lines).toEqual([expect.stringMatching(/^[ -~]{1,1000}\n$/)]);
      }
    }
    await lost.close();
  });
});

describe('the cookie', () => {
  test('the cookie is http-only, lax and signed; edited, duplicate or huge it is as none (T70)', async () => {
    const browser = shop.browser();
    const response = await browser.open(
      'POST',
      '/api/orders',
      '{"items":[{"sku":"honey-500","quantity":1}],"customer":{"email":"a@b.c"}}',
      {
        'content-type': 'application/json',
      },
    );
    const { data } = (await response.json()) as { data: { reference: string } };
    const set = response.headers.get('set-cookie') ?? '';
    const [name, value] = set.split(';', 1)[0]!.split('=') as [string, string];

    expect(set).toMatch(
      /^service-pay-browser=[^;]+; Max-Age=\d+; Path=\/; HttpOnly; SameSite=Lax$/,
    );
    expect((await browser.verify(data.reference)).status).toBe(200);
    for (const cookie of [
      '',
      `${name}=${value}x`,
      `${name}=x${value}`,
      `${name}=${value.split('.')[0]}`,
      `${name}=`,
      `${name}=${'a'.repeat(10_000)}`,
      `${name}=planted; ${name}=${value}`,
      '%;=;;',
    ]) {
      browser.cookie = cookie;
      expect(await browser.verify(data.reference)).toMatchObject({
        status: 404,
        json: { errorCode: '11' },
      });
    }
    browser.cookie = `${name}=${value}`;
    expect((await browser.verify(data.reference)).status).toBe(200);
  });

  test('the cookie beyond loopback is Secure under a __Host- name (T70)', async () => {
    const shown = await startTestShop(
      sandbox.url,
      {},
      { PUBLIC_URL: 'https://shop.example', PORT: String(await findFreePort()) },
    );
    const local = new TestBrowser(`http://127.0.0.1:${shown.config.port}`);

    const response = await local.get('/');

    expect(response.headers.get('set-cookie')).toMatch(
      /^__Host-service-pay-browser=[^;]+; Max-Age=\d+; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
    );
    expect(response.headers.get('strict-transport-security')).toBe('max-age=31536000');
    await shown.close();
  });

  test('the cookie still binds after a restart with the same SESSION_SECRET, and not with another (T70)', async () => {
    const browser = shop.browser();
    const reference = await browser.order();
    const databaseUrl = { DATABASE_URL: shop.config.databaseUrl };
    const again = await startTestShop(sandbox.url, {}, databaseUrl);
    const other = await startTestShop(
      sandbox.url,
      {},
      { ...databaseUrl, SESSION_SECRET: 'another-session-secret-0123456789abcdef' },
    );

    const verified = [again, other].map(async ({ url }) => {
      const returning = new TestBrowser(url);
      returning.cookie = browser.cookie;
      return (await returning.verify(reference)).status;
    });

    expect(await Promise.all(verified)).toEqual([200, 404]);
    await Promise.all([again.close(), other.close()]);
  });
});

describe('the event stream', () => {
  test('a HEAD request for an event stream gets its headers alone, and holds nothing open (T51)', async () => {
    const browser = shop.browser();
    const reference = await browser.order();

    for (let times = 0; times < 30; times++) {
      expect(
        (await browser.send('HEAD', `/api/payments/${reference}/events`, undefined, {})).status,
      ).toBe(200);
    }
  });
});
