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
  const { own } = await metrics.text();
  return own.split('\n').filter((line) => line.startsWith('service_pay_'));
}

test('metrics are repeated under their old names for one version', async () => {
  const { own } = await new Metrics({ figures: async () => FIGURES }).text();
  const named = own.split('\n').filter((line) => line.includes('service_pay_'));

  expect(named.length).toBeGreaterThan(20);
  for (const line of named) expect(own).toContain(`\n${line.replace('service_pay_', 'shop_')}\n`);
});

describe('figures', () => {
  test('figures of the metrics show what the database says', async () => {
    const metrics = new Metrics({ figures: async () => FIGURES });

    expect(await linesOf(metrics)).toEqual(
      expect.arrayContaining([
        'service_pay_database_up 1',
        'service_pay_payments{state="awaiting-payment"} 3',
        'service_pay_payments{state="needs-review"} 1',
        'service_pay_reconciler_overdue 2',
        'service_pay_reconciler_lag_seconds 1.5',
        'service_pay_webhook_deliveries_not_handled 0',
        'service_pay_oldest_delivery_not_handled_seconds 0',
        'service_pay_fulfilments{state="parked"} 1',
        'service_pay_oldest_fulfilment_seconds{state="parked"} 60',
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
    'figures of the metrics are left out, and the rest is reported, where the database %s',
    async (_what, figures: () => Promise<ShopFigures>) => {
      const metrics = new Metrics({ figures });
      metrics.countDelivery('not_stored');

      const lines = await linesOf(metrics);

      expect(lines).toEqual(
        expect.arrayContaining([
          'service_pay_database_up 0',
          'service_pay_webhook_deliveries_total{result="not_stored"} 1',
        ]),
      );
      expect(
        lines.filter((line) =>
          /^service_pay_(payments|oldest|reconciler|webhook_deliveries_not|fulfilments)/.test(line),
        ),
      ).toEqual([]);
    },
  );

  test('figures of the metrics that were shown are gone once the database is, and come back with it', async () => {
    let figures = () => Promise.resolve(FIGURES);
    const metrics = new Metrics({ figures: () => figures() });

    expect(await linesOf(metrics)).toContain('service_pay_reconciler_overdue 2');
    figures = () => Promise.reject(new Error('gone'));
    expect(await linesOf(metrics)).not.toContain('service_pay_reconciler_overdue 2');
    figures = () => Promise.resolve({ ...FIGURES, overdue: { count: 7, oldestMs: 1 } });
    expect(await linesOf(metrics)).toContain('service_pay_reconciler_overdue 7');
  });
});

describe('counters', () => {
  test('counters of orders and of failed requests start at 0, or a rule would not see the first', async () => {
    const zeros = (await linesOf(new Metrics())).filter((line) =>
      /_(?:orders|requests)_total/.test(line),
    );

    expect(zeros.sort()).toEqual([
      'service_pay_orders_total{result="created"} 0',
      'service_pay_orders_total{result="failed"} 0',
      'service_pay_orders_total{result="rejected"} 0',
      'service_pay_orders_total{result="repeated"} 0',
      'service_pay_requests_total{method="GET",route="/api/orders/open",status="500"} 0',
      'service_pay_requests_total{method="GET",route="/api/payments/:reference/events",status="500"} 0',
      'service_pay_requests_total{method="POST",route="/api/payments/:reference/retry",status="500"} 0',
      'service_pay_requests_total{method="POST",route="/api/payments/:reference/verify",status="500"} 0',
      'service_pay_requests_total{method="POST",route="/webhooks/service-pay",status="500"} 0',
    ]);
  });

  test('counters tell confirms by trigger and result, and alerts', async () => {
    const metrics = new Metrics();
    metrics.countConfirm('webhook', 'paid');
    metrics.countConfirm('due', 'timeout');
    metrics.countAlert('needs_review');

    expect(await linesOf(metrics)).toEqual(
      expect.arrayContaining([
        'service_pay_confirms_total{trigger="webhook",result="paid"} 1',
        'service_pay_confirms_total{trigger="success",result="paid"} 0',
        'service_pay_confirms_total{trigger="due",result="timeout"} 1',
        'service_pay_alerts_total{reason="needs_review"} 1',
      ]),
    );
  });

  test('counters name the state of the circuit once it is known', async () => {
    expect(
      (await linesOf(new Metrics())).filter((line) =>
        line.startsWith('service_pay_service_circuit'),
      ),
    ).toEqual([]);

    expect(await linesOf(new Metrics({ circuit: () => 'open' }))).toEqual(
      expect.arrayContaining([
        'service_pay_service_circuit{state="open"} 1',
        'service_pay_service_circuit{state="closed"} 0',
        'service_pay_service_circuit{state="half-open"} 0',
      ]),
    );
  });
});
