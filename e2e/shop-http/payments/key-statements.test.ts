import type { CatalogueItem } from '@service-pay/bff-example/catalogue';
import { DATABASES } from '@service-pay/server/testing';
import { afterEach, describe, expect, test } from 'vitest';
import { ONE_HONEY, startTestShop, type TestShop } from '../shop.ts';

const HONEY: CatalogueItem = {
  sku: 'honey-500',
  name: 'Honey',
  description: 'A pot',
  price: '92.50',
  currency: 'ZMW',
};
const COFFEE: CatalogueItem = { ...HONEY, sku: 'coffee-250', name: 'Coffee' };
const BOTH = {
  ...ONE_HONEY,
  items: ['honey-500', 'coffee-250'].map((sku) => ({ sku, quantity: 1 })),
};

let shop: TestShop;
afterEach(() => shop.close());

describe.each(DATABASES)('an order of goods no longer sold, on %s', (kind) => {
  test.each([
    ['one product was removed', () => catalogue.delete('coffee-250'), 'items.1.sku'],
    [
      'its products have two currencies now',
      () => catalogue.set('coffee-250', { ...COFFEE, currency: 'MWK' }),
      'items',
    ],
  ])(
    'an order of goods no longer sold is rejected if %s, and gets its old response under its old Idempotency-Key (T67)',
    async (_what, change, path) => {
      catalogue = new Map([HONEY, COFFEE].map((item) => [item.sku, item]));
      shop = await startTestShop('http://127.0.0.1:9', { readCatalogue }, {}, kind);
      const browser = shop.browser();
      const place = (body: unknown, key?: string, by = browser) =>
        by.post('/api/orders', body, key ? { 'idempotency-key': key } : {});
      const first = await place(BOTH, 'key');
      expect(first.status).toBe(201);

      change();

      expect(await place(BOTH, 'key')).toMatchObject({ status: 201, text: first.text });
      const other = { ...BOTH, customer: { email: 'other@example.com' } };
      expect(await place(other, 'key')).toMatchObject({ status: 400, json: { errorCode: '04' } });
      const rejection = { status: 400, json: { errorCode: '01', data: { problems: [{ path }] } } };
      for (const rejected of [place(BOTH), place(BOTH, 'new'), place(BOTH, 'key', shop.browser())])
        expect(await rejected).toMatchObject(rejection);
      expect(await shop.rows('select key from service_pay_idempotency_keys')).toEqual([
        { key: 'key' },
      ]);
      expect(await shop.rows('select distinct order_id from service_pay_payments')).toHaveLength(1);
    },
  );

  let catalogue: Map<string, CatalogueItem>;
  const readCatalogue = async () => [...catalogue.values()];
});
