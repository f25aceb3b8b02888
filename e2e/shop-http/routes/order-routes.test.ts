import { ManualClock, startUpstream } from '@service-pay/server/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ONE_HONEY, startTestShop, type TestShop } from '../shop.ts';

let upstream: Awaited<ReturnType<typeof startUpstream>>;
let shop: TestShop;

beforeAll(async () => {
  upstream = await startUpstream((_req, res) =>
    res.writeHead(404).end('{"status":false,"message":"","errorCode":"11"}'),
  );
  shop = await startTestShop(upstream.url);
});

afterAll(async () => {
  await shop.close();
  await upstream.close();
});

const countOrders = async () =>
  (
    await shop.rows<{ n: number }>('select count(distinct order_id) as n from service_pay_payments')
  )[0]!.n;

describe('the catalogue', () => {
  test('the catalogue is a list in the envelope, with meta and prices as decimals (D55)', async () => {
    const { status, json } = await shop.browser().get('/api/catalogue');

    expect(status).toBe(200);
    expect(json).toMatchObject({
      status: true,
      message: '',
      meta: { total: 4, perPage: 4, currentPage: 1, pageCount: 1 },
    });
    for (const item of json.data)
      expect(item).toMatchObject({
        sku: expect.any(String),
        name: expect.any(String),
        price: expect.stringMatching(/^\d+\.\d\d$/),
        currency: 'ZMW',
      });
  });
});

describe('an order', () => {
  test('an order is readable by the browser that placed it, and is 404·11 for any other (D56)', async () => {
    const browser = shop.browser();
    const order = {
      items: [{ sku: 'honey-500', quantity: 3 }],
      customer: { email: 'mary@example.com' },
    };
    const { reference } = (await browser.post('/api/orders', order)).json.data;

    const own = await browser.get(`/api/orders/${reference}`);
    const foreign = await shop.browser().get(`/api/orders/${reference}`);

    expect(own.json.data).toEqual({
      amount: '277.50',
      currency: 'ZMW',
      customer: { email: 'mary@example.com' },
      lines: [{ sku: 'honey-500', name: 'Honey, 500 g', quantity: 3, price: '92.50' }],
    });
    expect(foreign).toMatchObject({ status: 404, json: { errorCode: '11' } });
  });

  test('an order is priced by the server and returns the options for getPaid', async () => {
    const items = [
      { sku: 'honey-500', quantity: 3 },
      { sku: 'coffee-250', quantity: 1 },
    ];

    const { status, json } = await shop.browser().post('/api/orders', {
      items,
      customer: { email: 'mary@example.com', firstName: 'Mary', phone: '0961111111' },
    });

    expect(status).toBe(201);
    expect(json).toEqual({
      status: true,
      message: '',
      data: {
        key: 'pub_sandbox_demo',
        email: 'mary@example.com',
        reference: expect.stringMatching(/^shop-[-_A-Za-z0-9]{24}$/),
        amount: '416.25',
        currency: 'ZMW',
        label: '2 items',
        customer: { firstName: 'Mary', phone: '0961111111' },
      },
    });
    expect(await shop.stateOf(json.data.reference)).toBe('awaiting-payment');
  });

  test.each([
    ...[-1, 0, 0.1, '5', [5], 1e308, 2 ** 53, 100, null, undefined].map((quantity) => [
      `quantity ${JSON.stringify(quantity)}`,
      { ...ONE_HONEY, items: [{ sku: 'honey-500', quantity }] },
      'items.0.quantity',
    ]),
    ...['canary', '__proto__', 'constructor', '', 7, ['honey-500']].map((sku) => [
      `sku ${JSON.stringify(sku)}`,
      { ...ONE_HONEY, items: [{ sku, quantity: 1 }] },
      'items.0.sku',
    ]),
    [
      '1 000 lines',
      { ...ONE_HONEY, items: Array.from({ length: 1_000 }, () => ONE_HONEY.items[0]) },
      'items',
    ],
    ['no lines', { ...ONE_HONEY, items: [] }, 'items'],
    ['an object for a list', { ...ONE_HONEY, items: {} }, 'items'],
    [
      'an e-mail with a line break',
      { ...ONE_HONEY, customer: { email: 'a@b.c\r\nBcc: canary@x.y' } },
      'customer.email',
    ],
    ['an e-mail without @', { ...ONE_HONEY, customer: { email: 'canary' } }, 'customer.email'],
    [
      'a long name',
      { ...ONE_HONEY, customer: { email: 'a@b.c', firstName: 'canary'.repeat(99) } },
      'customer.firstName',
    ],
    ['no customer', { items: ONE_HONEY.items }, 'customer'],
  ] as [string, unknown, string][])(
    'an order with %s is 400·01 naming the field, never the value, and stores nothing (T66)',
    async (_name, body, path) => {
      const before = await countOrders();
      const { status, json, text } = await shop.browser().post('/api/orders', body);

      expect(status).toBe(400);
      expect(json).toMatchObject({
        status: false,
        errorCode: '01',
        data: { problems: expect.arrayContaining([expect.objectContaining({ path })]) },
      });
      expect(text).not.toContain('canary');
      expect(await countOrders()).toBe(before);
    },
  );

  test.each([
    [{}, 'items is missing. customer is missing.'],
    [
      { items: [{}], customer: {} },
      'items.0.sku is missing. items.0.quantity is missing. customer.email is missing.',
    ],
    [{ items: {}, customer: 'mary' }, 'items must be a list. customer must be an object.'],
    [
      { items: [{ sku: 5, quantity: '1' }], customer: ONE_HONEY.customer },
      'items.0.sku must be a text. items.0.quantity must be a number.',
    ],
  ])('an order of %j gets what is missing or of another type', async (body, message) => {
    expect((await shop.browser().post('/api/orders', body)).json.message).toBe(message);
  });

  test('an order under a long key is 400·01 (T67)', async () => {
    const response = await shop
      .browser()
      .post('/api/orders', ONE_HONEY, { 'idempotency-key': 'k'.repeat(10_000) });

    expect(response).toMatchObject({ status: 400, json: { errorCode: '01' } });
  });

  test('an order has a key by the time it was made, so that new ones lie side by side, and a part that nobody can guess', async () => {
    const clock = new ManualClock();
    const timed = await startTestShop(upstream.url, { clock });
    const references: string[] = [];
    for (let order = 0; order < 5; order++) {
      references.push(await timed.browser().order());
      await clock.jump(1);
    }

    expect(references).toEqual([...references].sort());
    expect(new Set(references.map((reference) => reference.slice(-16))).size).toBe(5);
    const rows = await timed.rows<{ id: string }>(
      'select order_id as id from service_pay_payments order by created_at',
    );
    expect(rows).toEqual([...rows].sort((one, other) => (one.id < other.id ? -1 : 1)));
    await timed.close();
  });
});
