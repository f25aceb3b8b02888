import { SqliteError } from 'better-sqlite3';
import pg from 'pg';
import { afterEach, describe, expect, test, vi } from 'vitest';

import type { Clock } from './clock.ts';
import { type Database, openDatabase } from './database.ts';
import { ShopStore } from './shop-store.ts';
import {
  DATABASES,
  makeDatabaseUrl,
  PATIENT_DATABASE,
  POSTGRES_IS_MISSING,
} from './test-database.ts';
import { payOrder } from './test-parts.ts';
import { findFreePort } from './test-programs.ts';
import {
  collectionAnswer,
  ManualClock,
  PATIENT,
  startTestShop,
  startUpstream,
  TestBrowser,
  tell,
} from './test-shop.ts';

const MINUTE = 60_000;
const ORDER = {
  id: 'order',
  browserId: 'b',
  customer: { email: 'a@b.c' },
  lines: [],
  amount: '10.00',
  currency: 'ZMW',
};

let closers: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closers.reverse()) await close();
  closers = [];
});

describe.each(DATABASES)('a webhook on %s', (kind) => {
  test('that comes before its order is used as soon as there is one, not at its first look (T86)', async () => {
    const upstream = await startUpstream((req, res) =>
      res.end(collectionAnswer(req.url ?? '', { amount: '10.00' })),
    );
    const clock = new ManualClock();
    const shop = await startTestShop(upstream.url, { clock }, {}, kind);
    closers.push(upstream.close, shop.close);
    expect(await tell(shop, 'of-another-program')).toBe(200);
    expect(await shop.rows('select handled_at from webhook_deliveries')).toEqual([
      { handled_at: null },
    ]);

    await useStore(shop.config.databaseUrl, (store) =>
      store.placeOrder(ORDER, 'of-another-program', clock.now() + 3_600_000, clock.now()),
    );

    await vi.waitFor(async () => {
      await clock.advance(100);
      expect(await shop.stateOf('of-another-program')).toBe('paid');
    }, PATIENT);
    expect(
      await shop.rows('select handled_at from webhook_deliveries where handled_at is null'),
    ).toEqual([]);
    expect(clock.now() - new ManualClock().now()).toBeLessThan(3_600_000);
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
      await shop.rows('select id from webhook_deliveries where handled_at is null'),
    ).toHaveLength(1);

    await vi.waitFor(async () => {
      await clock.jump(3_600_000);
      expect(await shop.rows('select id from webhook_deliveries where handled_at is null')).toEqual(
        [],
      );
    }, PATIENT);
    expect(upstream.calls).toEqual([]);
  });
});

describe.each(DATABASES)('a clock that is set back, on %s', (kind) => {
  /** The machine's timers run on, whatever its clock says. */
  const settable = (timers: ManualClock): { clock: Clock; setBack(ms: number): void } => {
    let behindMs = 0;
    return {
      clock: { now: () => timers.now() - behindMs, after: (ms, task) => timers.after(ms, task) },
      setBack: (ms) => {
        behindMs += ms;
      },
    };
  };

  const startUnpaid = async () => {
    const upstream = await startUpstream((req, res) => {
      res.end(
        collectionAnswer(req.url ?? '', {
          status: req.url?.endsWith('paid') ? 'successful' : 'pending',
        }),
      );
    });
    closers.push(upstream.close);
    return upstream;
  };

  test.each([30, 119])(
    'by %i minutes holds up neither what is asked about nor what is tried again (T111)',
    async (minutes) => {
      const upstream = await startUnpaid();
      const timers = new ManualClock();
      const { clock, setBack } = settable(timers);
      let isOpen = false;
      const fulfil = async () => {
        if (!isOpen) throw new Error('The warehouse is closed.');
      };
      const shop = await startTestShop(upstream.url, { clock, fulfil }, {}, kind);
      closers.push(shop.close);
      const reference = await shop.browser().order();
      await useStore(shop.config.databaseUrl, (store) => payOrder(store, 'paid', clock.now()));
      await vi.waitFor(async () => {
        await timers.advance(500);
        expect(upstream.calls.length).toBeGreaterThanOrEqual(2);
        expect(await shop.rows('select 1 from fulfilments where attempts >= 2')).toHaveLength(1);
      }, PATIENT);

      setBack(minutes * MINUTE);
      const asked = upstream.calls.length;
      isOpen = true;

      // Six minutes of the shop's at most pass so, and what is done every ten minutes is not done.
      await vi.waitFor(async () => {
        await timers.advance(100);
        expect(upstream.calls.length).toBeGreaterThan(asked);
        expect(await shop.rows("select 1 from fulfilments where state = 'done'")).toHaveLength(1);
      }, PATIENT);
      expect(await shop.stateOf(reference)).toBe('awaiting-payment');
    },
  );

  test('while the shop is away holds up nothing, also where the database fails as the shop begins (T111)', async () => {
    const upstream = await startUnpaid();
    const { url: DATABASE_URL, drop } = await makeDatabaseUrl(kind);
    closers.push(drop);
    const timers = new ManualClock();
    const { clock, setBack } = settable(timers);
    const before = await startTestShop(upstream.url, { clock }, { DATABASE_URL });
    await before.browser().order();
    await before.close();

    setBack(30 * MINUTE);
    let isAway = true;
    const failpoint = (name: string) => {
      if (isAway && name === 'before-commit')
        throw new SqliteError('disk I/O error', 'SQLITE_IOERR');
    };
    const shop = await startTestShop(upstream.url, { clock, failpoint }, { DATABASE_URL });
    closers.push(shop.close);
    await vi.waitFor(
      () => expect(shop.lines.join()).toContain('could not be pulled ahead'),
      PATIENT,
    );
    expect(upstream.calls).toEqual([]);
    isAway = false;

    await vi.waitFor(async () => {
      await timers.advance(100);
      expect(upstream.calls).toHaveLength(1);
    }, PATIENT);
  });

  test('and planned by the old time as that was noticed: pulled ahead with the next ten minutes (T111)', async () => {
    const upstream = await startUnpaid();
    const timers = new ManualClock();
    const { clock, setBack } = settable(timers);
    const shop = await startTestShop(upstream.url, { clock }, {}, kind);
    closers.push(shop.close);
    await shop.browser().order();
    setBack(60 * MINUTE);
    await vi.waitFor(async () => {
      await timers.advance(100);
      expect(upstream.calls).not.toEqual([]);
    }, PATIENT);

    await useStore(shop.config.databaseUrl, async (store, { db }) => {
      await store.placeOrder(
        { ...ORDER, id: 'late' },
        'late',
        clock.now() + 60 * MINUTE,
        clock.now(),
      );
      await db
        .updateTable('payments')
        .set({ check_pause_ms: 5_000 })
        .where('reference', '=', 'late')
        .execute();
    });

    await timers.jump(10 * MINUTE);
    await vi.waitFor(async () => {
      await timers.advance(100);
      expect(upstream.calls.some((path) => path.endsWith('late'))).toBe(true);
    }, PATIENT);
  });
});

describe('a shop that starts', () => {
  test('asks and hands over at once, however much there is to tidy up', async () => {
    const { url: DATABASE_URL, drop } = await makeDatabaseUrl('sqlite');
    closers.push(drop);
    const clock = new ManualClock();
    await useStore(DATABASE_URL, (store) =>
      store.placeOrder(ORDER, 'ahead', clock.now() + 30 * 86_400_000, clock.now()),
    );
    const points: string[] = [];
    const failpoint = (name: string) => void points.push(name);

    const shop = await startTestShop('http://localhost:9', { clock, failpoint }, { DATABASE_URL });
    closers.push(shop.close);
    points.push('begun');

    await vi.waitFor(
      () => expect(points).toEqual(['begun', 'before-commit', 'after-commit']),
      PATIENT,
    );
    expect(await shop.rows('select check_at from payments')).toEqual([{ check_at: clock.now() }]);
  });

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
      await holder.query('lock table fulfilments in access exclusive mode');
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

/** As another program with the same database does. */
async function useStore(
  databaseUrl: string,
  use: (store: ShopStore, database: Database) => Promise<unknown>,
): Promise<void> {
  const database = await openDatabase(databaseUrl, PATIENT_DATABASE);
  await use(new ShopStore(database), database).finally(() => database.close());
}
