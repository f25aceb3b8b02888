import pg from 'pg';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { type Database, openDatabase } from '../../../src/database/open.ts';
import { ShopStore } from '../../../src/payments/store.ts';
import {
  DATABASES,
  makeDatabaseUrl,
  PATIENT_DATABASE,
  POSTGRES_IS_MISSING,
} from '../../database.ts';
import { ManualClock, PATIENT } from '../../manual-clock.ts';
import { findFreePort } from '../../programs.ts';
import { collectionAnswer, startUpstream } from '../../upstream.ts';
import { startTestShop, TestBrowser, tell } from '../shop.ts';

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
  test('that comes before its order is used at the first look at that (T86)', async () => {
    const upstream = await startUpstream((req, res) =>
      res.end(collectionAnswer(req.url ?? '', { amount: '10.00' })),
    );
    const clock = new ManualClock();
    const shop = await startTestShop(upstream.url, { clock }, {}, kind);
    closers.push(upstream.close, shop.close);
    expect(await tell(shop, 'of-another-program')).toBe(200);
    expect(await shop.rows('select handled_at from service_pay_webhook_deliveries')).toEqual([
      { handled_at: null },
    ]);

    await useStore(shop.config.databaseUrl, (store) =>
      store.placeOrder(ORDER, 'of-another-program', clock.now() + 5_000, clock.now()),
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

  test('about an order that nobody makes in a day is closed: it is of another system (T86)', async () => {
    const upstream = await startUpstream((req, res) => res.end(collectionAnswer(req.url ?? '')));
    const clock = new ManualClock();
    const shop = await startTestShop(upstream.url, { clock }, {}, kind);
    closers.push(upstream.close, shop.close);
    await tell(shop, 'of-another-system');

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

describe('a shop that starts', () => {
  test.skipIf(POSTGRES_IS_MISSING)(
    'answers everybody it lets in, while it tidies up in a database that is slow',
    async () => {
      const { url: DATABASE_URL, drop } = await makeDatabaseUrl('postgres');
      closers.push(drop);
      await (await openDatabase(DATABASE_URL)).close();
      const holder = new pg.Client({ connectionString: DATABASE_URL });
      await holder.connect();
      closers.push(() => holder.end());
      await holder.query('begin');
      await holder.query('lock table service_pay_fulfilments in access exclusive mode');
      const PORT = String(await findFreePort());

      const starting = startTestShop(
        'http://localhost:9',
        { answerWithinMs: undefined },
        { DATABASE_URL, PORT },
      );
      closers.push(async () => (await starting).close());
      const answer = await vi.waitFor(
        () => new TestBrowser(`http://localhost:${PORT}`).get('/healthz'),
        PATIENT,
      );

      expect(answer.status).toBe(200);
    },
  );
});

async function useStore(
  databaseUrl: string,
  use: (store: ShopStore, database: Database) => Promise<unknown>,
): Promise<void> {
  const database = await openDatabase(databaseUrl, PATIENT_DATABASE);
  await use(new ShopStore(database), database).finally(() => database.close());
}
