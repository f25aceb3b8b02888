import { setImmediate as aMoment } from 'node:timers/promises';
import type { CatalogueItem } from '@service-pay/bff-example/catalogue';
import { expect, onTestFinished, test } from 'vitest';
import { startTestShop, type TestShop } from '../shop.ts';

const TEA = { sku: 'tea', name: 'Tea', description: 'Loose', price: '12.00', currency: 'ZMW' };
const customer = { email: 'mary@example.com' };

async function startShopOf(goods: {
  items: readonly CatalogueItem[];
  requested: unknown[];
  isAway?: boolean;
}): Promise<TestShop> {
  const shop = await startTestShop('http://127.0.0.1:1', {
    async readCatalogue(skus) {
      await aMoment();
      if (goods.isAway) throw new Error('the database of goods is away');
      goods.requested.push(skus);
      return goods.items;
    },
  });
  onTestFinished(() => shop.close());
  return shop;
}

test('goods are read for each request, and an order has the prices of that moment', async () => {
  const goods = { items: [TEA], requested: [] };
  const browser = (await startShopOf(goods)).browser();
  const order = () =>
    browser.post('/api/orders', { items: [{ sku: 'tea', quantity: 3 }], customer });

  const first = await order();
  goods.items = [{ ...TEA, price: '12.50' }];
  const second = await order();
  const list = await browser.get('/api/catalogue');

  expect(first.json.data.amount).toBe('36.00');
  expect(second.json.data.amount).toBe('37.50');
  expect(list.json.data).toEqual(goods.items);
  expect(goods.requested).toEqual([['tea'], ['tea'], undefined]);
});

test('while goods cannot be read, an order is rejected with 500, and one that was made is found', async () => {
  const goods = { items: [TEA], requested: [], isAway: false };
  const shop = await startShopOf(goods);
  const browser = shop.browser();
  const order = (key: string) =>
    browser.post(
      '/api/orders',
      { items: [{ sku: 'tea', quantity: 1 }], customer },
      { 'idempotency-key': key },
    );
  const made = await order('one');

  goods.isAway = true;

  expect((await order('one')).json).toEqual(made.json);
  expect(await order('two')).toMatchObject({ status: 500, json: { errorCode: '10' } });
  expect((await browser.get('/api/catalogue')).status).toBe(500);
  expect(shop.lines.join('')).toContain('the database of goods is away');
});

test.each([
  ['a price that is a number', { ...TEA, price: 12.5 }, 'price: Invalid type: Expected string'],
  [
    'a price with one decimal',
    { ...TEA, price: '12.5' },
    'price: must be above 0 and have two decimals',
  ],
  ['no name', { ...TEA, name: undefined }, 'name: Invalid type: Expected string'],
])('goods with %s are shown and sold to nobody, and the log says which', async (_, item, says) => {
  const shop = await startShopOf({ items: [item as CatalogueItem], requested: [] });
  const browser = shop.browser();
  const items = [{ sku: 'tea', quantity: 1 }];

  const list = await browser.get('/api/catalogue');
  const order = await browser.post('/api/orders', { items, customer });

  for (const { status, json } of [list, order]) {
    expect(status).toBe(500);
    expect(json.message).toBe('Nothing can be ordered right now. Please try again later.');
  }
  const { err } = JSON.parse(shop.lines.find((line) => line.includes('request failed'))!);
  expect(err.message).toContain(`Correct src/catalogue.ts: ${JSON.stringify(item)}`);
  expect(err.message).toContain(says);
});
