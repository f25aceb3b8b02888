import { type Sandbox, startSandbox } from '@service-pay/sandbox';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';

import type { Order } from './orders.js';
import { type Shop, startShop } from './server.js';

const HALF_AN_HOUR_S = 30 * 60;
const DAY_S = 24 * 60 * 60;

let sandbox: Sandbox;
let shop: Shop;
let order: Order;

beforeAll(async () => {
  sandbox = await startSandbox({ clock: 'virtual' });
  shop = await startShop({ serviceUrl: sandbox.url });
});
beforeEach(async () => {
  await sandbox.control.reset();
  await sandbox.control.putMerchant('pub_sandbox_demo', { webhookUrl: shop.webhookUrl });
  shop.rejected = 0;
  order = shop.orders.place();
});
afterAll(async () => {
  await shop.close();
  await sandbox.close();
});

async function payAndWait(seconds = 0): Promise<void> {
  const { reference, amount, currency } = order;
  await sandbox.control.pay({ reference, amount, currency });
  await sandbox.control.advance(seconds);
}

test('a webhook makes the order paid', async () => {
  await payAndWait();

  expect(order).toMatchObject({ state: 'paid', shipped: 1 });
  expect(await sandbox.control.webhooks()).toMatchObject([
    { event: 'collection.successful', status: 'acknowledged' },
  ]);
});

describe('webhooks on bad days', () => {
  test('rejects a webhook changed on its way, and accepts the correct retry', async () => {
    await sandbox.control.armScenario('webhook-tampered');
    await payAndWait();
    expect(shop.rejected).toBe(1);
    expect(order.state).toBe('open');

    await sandbox.control.advance(HALF_AN_HOUR_S);

    expect(order).toMatchObject({ state: 'paid', shipped: 1 });
  });

  test('a payment of less than the price waits for a person', async () => {
    await sandbox.control.putCollection({
      reference: order.reference,
      amount: '1.00',
      currency: 'ZMW',
      notify: true,
    });
    await sandbox.control.advance(0);

    expect(order).toMatchObject({ state: 'review', shipped: 0 });
  });
});

describe('a service that does not respond', () => {
  test('24 hours of retries in a moment, then the shop polls', async () => {
    await sandbox.control.setFaults({ merchantApi: { rate: 1, kind: 'status', status: 503 } });

    await payAndWait(DAY_S);

    const [delivery] = await sandbox.control.webhooks();
    expect(delivery).toMatchObject({ status: 'given-up' });
    expect(delivery!.attempts).toHaveLength(49);
    expect(order.state).toBe('open');

    await sandbox.control.clearFaults();
    await shop.orders.confirmOpen();
    expect(order).toMatchObject({ state: 'paid', shipped: 1 });
  });
});
