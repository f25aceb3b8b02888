import { afterEach, describe, expect, test, vi } from 'vitest';
import { PATIENT, PATIENT_DATABASE } from '../../test/patience.ts';
import { postWebhook, startTestShop } from '../../test/shop.ts';
import { type Database, openDatabase } from '../database/open.ts';
import { PaymentStore } from '../payments/store.ts';
import { DATABASES } from '../testing/databases.ts';
import { ManualClock } from '../testing/manual-clock.ts';
import { collectionResponse, startUpstream } from '../testing/upstream.ts';

const ORDER = {
  id: 'order',
  owner: 'b',
  data: {},
  amount: '10.00',
  currency: 'ZMW',
};

let closers: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closers.reverse()) await close();
  closers = [];
});

describe.each(DATABASES)('a webhook on %s', (kind) => {
  test('a webhook that comes before its order is used at the first look at that (T86)', async () => {
    const upstream = await startUpstream((req, res) =>
      res.end(collectionResponse(req.url ?? '', { amount: '10.00' })),
    );
    const clock = new ManualClock();
    const shop = await startTestShop(upstream.url, { clock }, {}, kind);
    closers.push(upstream.close, shop.close);
    expect(await postWebhook(shop, 'of-another-program')).toBe(200);
    expect(await shop.rows('select handled_at from service_pay_webhook_deliveries')).toEqual([
      { handled_at: null },
    ]);

    await useStore(shop.config.databaseUrl, (store) =>
      store.placeOrder(ORDER, 'of-another-program', {
        checkAt: clock.now() + 5_000,
        now: clock.now(),
      }),
    );

    await vi.waitFor(async () => {
      await clock.advance(100);
      expect(await shop.stateOf('of-another-program')).toBe('paid');
    }, PATIENT);
    expect(
      await shop.rows(
        'select handled_at from service_pay_webhook_deliveries where handled_at is null',
      ),
    ).toEqual([]);
    expect(clock.now() - new ManualClock().now()).toBeLessThan(60_000);
  });

  test('a webhook about an order that nobody makes in a day is closed: it is of another system (T86)', async () => {
    const upstream = await startUpstream((req, res) => res.end(collectionResponse(req.url ?? '')));
    const clock = new ManualClock();
    const shop = await startTestShop(upstream.url, { clock }, {}, kind);
    closers.push(upstream.close, shop.close);
    await postWebhook(shop, 'of-another-system');

    await clock.jump(23 * 3_600_000);
    await clock.jump(600_000);
    expect(
      await shop.rows('select id from service_pay_webhook_deliveries where handled_at is null'),
    ).toHaveLength(1);

    await vi.waitFor(async () => {
      await clock.jump(3_600_000);
      expect(
        await shop.rows('select id from service_pay_webhook_deliveries where handled_at is null'),
      ).toEqual([]);
    }, PATIENT);
    expect(upstream.calls).toEqual([]);
  });
});

async function useStore(
  databaseUrl: string,
  use: (store: PaymentStore, database: Database) => Promise<unknown>,
): Promise<void> {
  const database = await openDatabase(databaseUrl, PATIENT_DATABASE);
  await use(new PaymentStore(database), database).finally(() => database.close());
}
