import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { ShopFigures } from '../../../src/observe/figures.ts';
import { Metrics } from '../../../src/observe/metrics.ts';
import { DATABASES, makeDatabaseUrl } from '../../database.ts';
import { ONE_HONEY, startTestShop } from '../shop.ts';

const FIGURES: ShopFigures = {
  payments: {
    'awaiting-payment': 3,
    paid: 0,
    failed: 0,
    expired: 0,
    'needs-review': 1,
    refused: 0,
  },
  overdue: { count: 2, oldestMs: 1_500 },
  deliveries: { count: 0, oldestMs: undefined },
  waiting: { count: 0, oldestMs: undefined },
  parked: { count: 1, oldestMs: 60_000 },
};

async function linesOf(metrics: Metrics): Promise<string[]> {
  const { body } = await metrics.text();
  return body.split('\n').filter((line) => line.startsWith('shop_'));
}

describe('figures', () => {
  test('show what the database says', async () => {
    const metrics = new Metrics({ figures: async () => FIGURES });

    expect(await linesOf(metrics)).toEqual(
      expect.arrayContaining([
        'shop_database_up 1',
        'shop_payments{state="awaiting-payment"} 3',
        'shop_payments{state="needs-review"} 1',
        'shop_reconciler_overdue 2',
        'shop_reconciler_lag_seconds 1.5',
        'shop_webhook_deliveries_not_handled 0',
        'shop_oldest_delivery_not_handled_seconds 0',
        'shop_fulfilments{state="parked"} 1',
        'shop_oldest_fulfilment_seconds{state="parked"} 60',
      ]),
    );
  });

  test.each([
    ['fails', () => Promise.reject(new Error('gone'))],
    [
      'throws',
      () => {
        throw new Error('gone');
      },
    ],
  ])(
    'are left out, and the rest is told, where the database %s',
    async (_what, figures: () => Promise<ShopFigures>) => {
      const metrics = new Metrics({ figures });
      metrics.countDelivery('not_stored');

      const lines = await linesOf(metrics);

      expect(lines).toEqual(
        expect.arrayContaining([
          'shop_database_up 0',
          'shop_webhook_deliveries_total{result="not_stored"} 1',
        ]),
      );
      expect(
        lines.filter((line) =>
          /^shop_(payments|oldest|reconciler|webhook_deliveries_not|fulfilments)/.test(line),
        ),
      ).toEqual([]);
    },
  );

  test('that were shown are gone once the database is, and come back with it', async () => {
    let answer = () => Promise.resolve(FIGURES);
    const metrics = new Metrics({ figures: () => answer() });

    expect(await linesOf(metrics)).toContain('shop_reconciler_overdue 2');
    answer = () => Promise.reject(new Error('gone'));
    expect(await linesOf(metrics)).not.toContain('shop_reconciler_overdue 2');
    answer = () => Promise.resolve({ ...FIGURES, overdue: { count: 7, oldestMs: 1 } });
    expect(await linesOf(metrics)).toContain('shop_reconciler_overdue 7');
  });
});

describe('counters', () => {
  test('tell from the start that no order was made and none refused, or a rule would not see the first', async () => {
    const orders = (await linesOf(new Metrics())).filter((line) =>
      line.startsWith('shop_requests_total'),
    );

    expect(orders.sort()).toEqual(
      [201, 500, 503].map(
        (status) => `shop_requests_total{method="POST",route="/api/orders",status="${status}"} 0`,
      ),
    );
  });

  test('tell confirms by trigger and result, and alerts', async () => {
    const metrics = new Metrics();
    metrics.countConfirm('webhook', 'paid');
    metrics.countConfirm('due', 'timeout');
    metrics.countAlert('needs_review');

    expect(await linesOf(metrics)).toEqual(
      expect.arrayContaining([
        'shop_confirms_total{trigger="webhook",result="paid"} 1',
        'shop_confirms_total{trigger="success",result="paid"} 0',
        'shop_confirms_total{trigger="due",result="timeout"} 1',
        'shop_alerts_total{reason="needs_review"} 1',
      ]),
    );
  });

  test('name the state of the circuit once it is known', async () => {
    expect(
      (await linesOf(new Metrics())).filter((line) => line.startsWith('shop_service_circuit')),
    ).toEqual([]);

    expect(await linesOf(new Metrics({ circuit: () => 'open' }))).toEqual(
      expect.arrayContaining([
        'shop_service_circuit{state="open"} 1',
        'shop_service_circuit{state="closed"} 0',
        'shop_service_circuit{state="half-open"} 0',
      ]),
    );
  });
});

test('figures are computed once for all who ask within a second (T119)', async () => {
  const compute = vi.spyOn(Metrics.prototype, 'text');
  onTestFinished(() => compute.mockRestore());
  const shop = await startTestShop('http://127.0.0.1:9');
  const startedAt = performance.now();

  for (let times = 0; times < 5; times++) {
    const answers = await Promise.all(
      Array.from({ length: 40 }, () => shop.browser().get('/metrics')),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  }

  expect(compute.mock.calls.length).toBeLessThanOrEqual(
    1 + (performance.now() - startedAt) / 1_000,
  );
  await shop.close();
});

test('orders are counted by the route that rules ask for', async () => {
  const shop = await startTestShop('http://127.0.0.1:9');
  const browser = shop.browser();
  await browser.order();

  const { text } = await browser.get('/metrics');

  expect(text).toMatch(
    /^shop_requests_total\{method="POST",route="\/api\/orders",status="201"\} 1$/m,
  );
  await shop.close();
});

test('webhooks that are not signed are told from forged ones, of which somebody is told once in a while (T91, T94)', async () => {
  const shop = await startTestShop('http://127.0.0.1:9');
  const browser = shop.browser();
  for (const signature of [undefined, 'x', 'a'.repeat(128), 'b'.repeat(128), 'c'.repeat(128)]) {
    const headers = { ...(signature && { 'x-servicepay-signature': signature }) };
    expect((await browser.post('/webhooks/service-pay', '{}', headers)).status).toBe(401);
  }

  const { text } = await browser.get('/metrics');

  expect(text.split('\n')).toEqual(
    expect.arrayContaining([
      'shop_webhook_deliveries_total{result="unsigned"} 2',
      'shop_webhook_deliveries_total{result="signature_refused"} 3',
      'shop_alerts_total{reason="signature_refused"} 1',
    ]),
  );
  await shop.close();
});

describe.each(DATABASES)('a shop whose database on %s is gone', (kind) => {
  test('still tells strangers and scrapers how it is, and whom it could not serve (T79, T92)', async () => {
    const made = await makeDatabaseUrl(kind);
    const shop = await startTestShop('http://127.0.0.1:9', {}, { DATABASE_URL: made.url });
    const browser = shop.browser();
    await made.drop();

    const [alive, ready, order] = [
      await browser.get('/healthz'),
      await browser.get('/readyz'),
      await browser.post('/api/orders', ONE_HONEY),
    ];
    const { status, text } = await browser.get('/metrics');

    expect([alive.status, ready.status, order.status, status]).toEqual([200, 503, 503, 200]);
    expect(text).toMatch(/^shop_database_up 0$/m);
    expect(text).toMatch(
      /^shop_requests_total\{method="POST",route="\/api\/orders",status="503"\} 1$/m,
    );
    expect(text).not.toMatch(/^shop_payments\{/m);
    await shop.close();
  });
});
