import { collectionResponse, ManualClock, startUpstream } from '@service-pay/server/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { putState, startTestShop, type TestBrowser, type TestShop } from '../shop.ts';

const STATES = ['awaiting-payment', 'paid', 'failed', 'expired', 'needs-review', 'refused'];

let upstream: Awaited<ReturnType<typeof startUpstream>>;
let shop: TestShop;

beforeAll(async () => {
  upstream = await startUpstream((req, res) =>
    res.end(collectionResponse(req.url ?? '', { status: 'pending' })),
  );
  shop = await startTestShop(upstream.url, { clock: new ManualClock() });
});

afterAll(async () => {
  await shop.close();
  await upstream.close();
});

const REQUESTS: [
  what: string,
  method: string,
  path: (reference: string) => string,
  headers: Record<string, string>,
][] = [
  ['verify', 'POST', (reference) => `/api/payments/${reference}/verify`, {}],
  ['retry', 'POST', (reference) => `/api/payments/${reference}/retry`, {}],
  ['events', 'GET', (reference) => `/api/payments/${reference}/events`, {}],
  ['the head of events', 'HEAD', (reference) => `/api/payments/${reference}/events`, {}],
  [
    'the return page',
    'GET',
    (reference) => `/payments/return?reference=${reference}`,
    { accept: 'text/html' },
  ],
  [
    'the return page as a program',
    'GET',
    (reference) => `/payments/return?reference=${reference}`,
    { accept: 'application/json' },
  ],
];

describe.each(STATES)('a payment that is %s', (state) => {
  test('a payment is to every other browser as one that does not exist, before and after its own verified it (T69, T123)', async () => {
    const owner = shop.browser();
    const reference = await owner.order();
    await putState(shop, reference, state);
    const visitor = shop.browser();
    await visitor.order();
    const nobody = shop.browser();

    for (const browser of [visitor, nobody]) await expectUnknown(browser, reference);
    const own = await owner.verify(reference); // from now on the shop may have it in memory
    for (const browser of [visitor, nobody]) await expectUnknown(browser, reference);

    expect(own).toMatchObject({ status: 200, json: { data: { reference } } });
    expect((await owner.get(`/payments/return?reference=${reference}`)).status).toBe(200);
    expect(upstream.calls.filter((path) => path.endsWith(reference)).length).toBeLessThanOrEqual(1);
    // the service says that somebody is paying it
    expect(await shop.stateOf(reference)).toBe(state === 'expired' ? 'awaiting-payment' : state);
    expect(
      await shop.rows(
        'select reference from service_pay_payments where order_id = (select order_id from service_pay_payments where reference = ?)',
        reference,
      ),
    ).toEqual([{ reference }]);
  });
});

async function expectUnknown(browser: TestBrowser, reference: string): Promise<void> {
  for (const [what, method, path, headers] of REQUESTS) {
    const [foreign, unknown] = [
      await read(browser, method, path(reference), headers),
      await read(browser, method, path('unknown'), headers),
    ];
    expect(foreign.status, what).toBe(404);
    expect(foreign, what).toEqual(unknown);
  }
}

async function read(
  browser: TestBrowser,
  method: string,
  path: string,
  headers: Record<string, string>,
) {
  const response = await browser.open(method, path, undefined, headers);
  const text = response.status === 404 ? await response.text() : await response.body?.cancel();
  const names = [...response.headers.keys()].filter(
    (name) => !['date', 'x-request-id'].includes(name),
  );
  return {
    status: response.status,
    text,
    headers: names.map((name) => [name, response.headers.get(name)]),
  };
}
