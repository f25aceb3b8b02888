import { type Sandbox, startSandbox } from '@service-pay/sandbox';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';

import type { Order } from './orders.js';
import { pay } from './pay.ts';
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
  shop.refused = 0;
  order = shop.orders.place();
});
afterAll(async () => {
  await shop.close();
  await sandbox.close();
});

async function payAndWait(seconds = 0): Promise<void> {
  await pay(order, sandbox.url);
  await sandbox.control.advance(seconds);
}

test('a webhook makes the order paid', async () => {
  await payAndWait();

  expect(order).toMatchObject({ state: 'paid', shipped: 1 });
  expect(await sandbox.control.webhooks()).toMatchObject([
    { event: 'collection.successful', status: 'acknowledged' },
  ]);
});

test('a decline leaves the order open, and the next card pays', async () => {
  await sandbox.control.armScenario('declined-then-paid');

  expect(await pay(order, sandbox.url)).toBe('declined');
  await shop.orders.confirm(order);
  expect(order.state).toBe('open');
  await payAndWait();

  expect(order).toMatchObject({ state: 'paid', shipped: 1 });
});

describe('webhooks on bad days', () => {
  test('a webhook that arrives after the order is paid changes nothing', async () => {
    await sandbox.control.armScenario('webhook-late');
    await payAndWait();
    expect(order.state).toBe('open');

    await shop.orders.confirm(order);
    expect(order.state).toBe('paid');
    await sandbox.control.advance(600);

    expect(await sandbox.control.webhooks()).toMatchObject([{ status: 'acknowledged' }]);
    expect(order.shipped).toBe(1);
  });

  test('a webhook that arrives twice ships the order once', async () => {
    await sandbox.control.armScenario('webhook-duplicate');

    await payAndWait();

    const statuses = (await sandbox.control.webhooks()).map(({ status }) => status);
    expect(statuses).toEqual(['acknowledged', 'acknowledged']);
    expect(order.shipped).toBe(1);
  });

  test('a lost webhook does not matter, because the shop asks', async () => {
    await sandbox.control.armScenario('webhook-lost');
    await payAndWait(DAY_S);
    expect(order.state).toBe('open');

    await shop.orders.confirmOpen();

    expect(order).toMatchObject({ state: 'paid', shipped: 1 });
  });

  test('news of the settlement before news of the payment', async () => {
    await sandbox.control.armScenario('webhook-out-of-order');

    await payAndWait(DAY_S);

    const delivered = (await sandbox.control.webhooks()).map(({ event, attempts }) => ({
      event,
      at: attempts[0]?.at,
    }));
    expect(delivered.map(({ event }) => event).sort()).toEqual([
      'collection.settled',
      'collection.successful',
    ]);
    expect(order).toMatchObject({ state: 'paid', shipped: 1 });
  });

  test('rejects a webhook changed on its way, and accepts the correct retry', async () => {
    await sandbox.control.armScenario('webhook-tampered');
    await payAndWait();
    expect(shop.refused).toBe(1);
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

describe('a service that does not answer', () => {
  test('24 hours of retries in a moment, then the shop asks', async () => {
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

  test.each(['garbage', 'truncate', 'reset'] as const)(
    'an invalid answer (%s) is neither paid nor failed',
    async (kind) => {
      await sandbox.control.setFaults({ merchantApi: { rate: 1, kind } });
      await payAndWait();
      await expect(shop.orders.confirm(order)).rejects.toThrow();
      expect(order.state).toBe('open');

      await sandbox.control.clearFaults();
      await sandbox.control.advance(HALF_AN_HOUR_S);

      expect(order).toMatchObject({ state: 'paid', shipped: 1 });
    },
  );

  test('two minutes in which verify is unavailable', async () => {
    await sandbox.control.armScenario('verify-unavailable');
    await payAndWait();
    expect(order.state).toBe('open');

    await sandbox.control.advance(HALF_AN_HOUR_S);

    expect(order).toMatchObject({ state: 'paid', shipped: 1 });
  });
});
