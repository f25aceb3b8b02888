import { afterAll, beforeAll, expect, test } from 'vitest';
import { ONE_HONEY, startTestShop, type TestShop } from '../shop.ts';

let shop: TestShop;

beforeAll(async () => {
  shop = await startTestShop('http://127.0.0.1:1');
});

afterAll(() => shop.close());

const readOrders = () => shop.rows<{ data: string }>('select data from service_pay_payments');

test.each([
  ['Email', { email: 'mary@example.com', Email: 'eve@example.com' }],
  ['__proto__', JSON.parse('{ "email": "mary@example.com", "__proto__": { "phone": "1" } }')],
])(
  'an order with customer.%s is rejected by that name, and stores nothing',
  async (name, customer) => {
    const before = await readOrders();

    const { status, json } = await shop.browser().post('/api/orders', { ...ONE_HONEY, customer });

    expect(status).toBe(400);
    expect(json).toMatchObject({
      errorCode: '01',
      message: `customer.${name} is not a known field.`,
      data: { problems: [{ path: `customer.${name}` }] },
    });
    expect(await readOrders()).toEqual(before);
  },
);

test('an order keeps every field that the shop requires, and the popup gets names and phone', async () => {
  const names = { firstName: 'Mary', lastName: 'Banda', phone: '0961111111' };
  const customer = { email: 'mary@example.com', ...names };

  const { json } = await shop.browser().post('/api/orders', { ...ONE_HONEY, customer });

  expect(json.data).toMatchObject({ email: customer.email, customer: names });
  expect(JSON.parse((await readOrders()).at(-1)!.data).customer).toEqual(customer);
});

test('an order keeps its e-mail without the marks that nobody sees (T128)', async () => {
  const customer = { email: '\u200emary\u200b@example.com\ufeff' };

  const { json } = await shop.browser().post('/api/orders', { ...ONE_HONEY, customer });

  expect(json.data.email).toBe('mary@example.com');
  expect(JSON.parse((await readOrders()).at(-1)!.data).customer.email).toBe('mary@example.com');
});

test('an order with the e-mail alone gives the popup no customer', async () => {
  const { json } = await shop.browser().post('/api/orders', ONE_HONEY);

  expect(Object.keys(json.data)).toEqual([
    'key',
    'email',
    'reference',
    'amount',
    'currency',
    'label',
  ]);
});
