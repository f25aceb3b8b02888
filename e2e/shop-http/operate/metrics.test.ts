import { DATABASES, makeDatabaseUrl } from '@service-pay/server/testing';
import { describe, expect, test } from 'vitest';
import { ONE_HONEY, startTestShop } from '../shop.ts';

test('unsigned webhooks are counted apart from forged ones, which raise an alert once in a while (T91, T94)', async () => {
  const shop = await startTestShop('http://127.0.0.1:9');
  const browser = shop.browser();
  for (const signature of [undefined, 'x', 'a'.repeat(128), 'b'.repeat(128), 'c'.repeat(128)]) {
    const headers = { ...(signature && { 'x-servicepay-signature': signature }) };
    expect((await browser.post('/webhooks/service-pay', '{}', headers)).status).toBe(401);
  }

  const { text } = await browser.get('/metrics');

  expect(text.split('\n')).toEqual(
    expect.arrayContaining([
      'service_pay_webhook_deliveries_total{result="unsigned"} 2',
      'service_pay_webhook_deliveries_total{result="signature_refused"} 3',
      'service_pay_alerts_total{reason="signature_refused"} 1',
    ]),
  );
  await shop.close();
});

describe.each(DATABASES)('a shop whose database on %s is gone', (kind) => {
  test('a shop without its database still reports its health, and whom it could not serve (T79, T92)', async () => {
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
    expect(text).toMatch(/^service_pay_database_up 0$/m);
    expect(text).toMatch(
      /^service_pay_requests_total\{method="POST",route="\/api\/orders",status="503"\} 1$/m,
    );
    expect(text).not.toMatch(/^service_pay_payments\{/m);
    await shop.close();
  });
});
