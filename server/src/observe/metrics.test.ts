import { describe, expect, test } from 'vitest';

import type { ShopFigures } from './figures.ts';
import { Metrics } from './metrics.ts';

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
