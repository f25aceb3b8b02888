import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

import { type Database, type OpenOptions, openDatabase } from './database.ts';
import type { Fulfil } from './fulfil.ts';
import { FulfilmentStore } from './fulfilment-store.ts';
import { startFulfilmentWorker } from './fulfilment-worker.ts';
import { Metrics } from './metrics.ts';
import { NoAnswerError } from './no-answer-error.ts';
import { PaymentFeed } from './payment-feed.ts';
import { ShopStore } from './shop-store.ts';
import {
  DATABASES,
  makeDatabaseUrl,
  PATIENT_DATABASE,
  POSTGRES_IS_MISSING,
  type TestDatabase,
} from './test-database.ts';
import { buildTestLog, passTimeUntil as passClockUntil, payOrder } from './test-parts.ts';
import { ManualClock, PATIENT, readRows } from './test-shop.ts';
import { openSlowCommits, type SlowCommits } from './test-slow-commits.ts';

/** Beyond what a caller is answered within, and well within a lease. */
const LATE_MS = 600;

let home: TestDatabase;
let database: Database;
let store: ShopStore;
let fulfilments: FulfilmentStore;
let clock: ManualClock;
let metrics: Metrics;
let lines: string[];

async function open(url: string, options: OpenOptions = {}): Promise<void> {
  database = await openDatabase(url, options);
  store = new ShopStore(database);
  fulfilments = new FulfilmentStore(database);
  clock = new ManualClock();
  metrics = new Metrics();
  lines = [];
}

afterEach(async () => {
  await database.close();
  await home.drop();
});

function startWorker(fulfil: Fulfil): { stop(): Promise<void> } {
  const log = buildTestLog(lines);
  return startFulfilmentWorker({
    store,
    fulfilments,
    feed: new PaymentFeed(),
    fulfil,
    metrics,
    clock,
    log,
  });
}

async function rowOf(
  reference: string,
): Promise<{ state: string; attempts: number; due_at: number } | undefined> {
  return (
    await readRows<any>(
      home.url,
      'select state, attempts, due_at from fulfilments where reference = ?',
      [reference],
    )
  )[0];
}

/**
 * In small steps: what a claim took is looked for only a while, and what the database says late
 * must come within it.
 */
const passTimeUntil = (check: () => void | Promise<void>) => passClockUntil(clock, check, 20);

describe.skipIf(POSTGRES_IS_MISSING)('where commits are answered later than anybody waits', () => {
  let slow: SlowCommits;

  beforeEach(async () => {
    home = await makeDatabaseUrl('postgres');
    slow = await openSlowCommits(home.url);
    await open(slow.url);
  });

  afterEach(() => slow.close());

  test('a paid order is handed over all the same, and in its first attempt', async () => {
    let calls = 0;
    await payOrder(store, 'r', clock.now());
    slow.delayMs = LATE_MS;
    const worker = startWorker(async () => {
      calls += 1;
    });

    await passTimeUntil(() => expect(calls).toBe(1));
    slow.delayMs = 0;
    await passTimeUntil(async () =>
      expect(await rowOf('r')).toMatchObject({ state: 'done', attempts: 1 }),
    );

    expect(calls).toBe(1);
    await worker.stop();
  });

  test('an order whose call failed is called again meanwhile, and not before its time', async () => {
    const calledAt: number[] = [];
    await payOrder(store, 'r', clock.now());
    const worker = startWorker(async () => {
      calledAt.push(clock.now());
      if (calledAt.length > 1) return;
      slow.delayMs = LATE_MS;
      throw new Error('The warehouse is closed.');
    });

    await passClockUntil(clock, () => expect(calledAt).toHaveLength(2), 100);
    slow.delayMs = 0;
    await passTimeUntil(async () =>
      expect(await rowOf('r')).toMatchObject({ state: 'done', attempts: 2 }),
    );

    expect(calledAt[1]! - calledAt[0]!).toBeGreaterThanOrEqual(2_000);
    expect(calledAt).toHaveLength(2);
    await worker.stop();
  });

  test('an order that is parked then raises its one alert', async () => {
    let calls = 0;
    await payOrder(store, 'r', clock.now());
    const worker = startWorker(async () => {
      calls += 1;
      if (calls === 10) slow.delayMs = LATE_MS;
      throw new Error('The warehouse is closed.');
    });

    await vi.waitFor(async () => {
      const row = (await rowOf('r'))!;
      if (row.state === 'waiting')
        await clock.jump(Math.max(50, Math.round((row.due_at - clock.now()) / 2)));
      expect(row).toMatchObject({ state: 'parked', attempts: 10 });
    }, PATIENT);
    await vi.waitFor(
      () => expect(lines.some((line) => line.includes('not yet parked'))).toBe(true),
      PATIENT,
    );
    slow.delayMs = 0;
    await passTimeUntil(async () =>
      expect((await metrics.text()).body).toContain(
        'shop_alerts_total{reason="fulfilment_parked"} 1',
      ),
    );

    expect(calls).toBe(10);
    expect(lines.filter((line) => line.includes('parked until a person redrives it'))).toHaveLength(
      1,
    );
    await worker.stop();
  });
});

describe.each(DATABASES)('claims on %s', (kind) => {
  beforeEach(async () => {
    home = await makeDatabaseUrl(kind);
    await open(home.url, PATIENT_DATABASE);
  });

  /** Claims are made and not answered, as often as the worker tries. */
  function loseClaims(name: 'claim' | 'claimSuspect') {
    const make = fulfilments[name].bind(fulfilments) as (...given: unknown[]) => Promise<unknown>;
    vi.spyOn(fulfilments, name).mockImplementation(async (...given: unknown[]) => {
      await make(...given);
      throw new NoAnswerError('The database did not write in time.');
    });
  }

  test('that are made again and again by one owner count one attempt, and those of others one each', async () => {
    await payOrder(store, 'r', clock.now());
    const attempts = [];
    for (const owner of ['one', 'one', 'one', 'other', 'other', 'one']) {
      const [claimed] = await fulfilments.claim(owner, clock.now(), 0, 1);
      attempts.push(claimed?.attempts);
    }
    expect(attempts).toEqual([1, 1, 1, 2, 2, 3]);
    expect(await fulfilments.claimSuspect('one', clock.now(), 0)).toMatchObject({ attempts: 3 });
    expect(await fulfilments.claimSuspect('other', clock.now() + 60_000, 0)).toMatchObject({
      attempts: 4,
    });
  });

  test.each(['finish', 'postpone', 'park'] as const)(
    'that their owner lost and made again are its own no more under the old lease: a late %s changes nothing (T111)',
    async (write) => {
      await payOrder(store, 'r', clock.now());
      const [lost] = await fulfilments.claim('one', clock.now(), 0, 1);
      const [held] = await fulfilments.claim('one', clock.now(), 60_000, 1);
      const before = await readRows(home.url, 'select * from fulfilments');
      const writeAs = (claim: typeof lost) =>
        write === 'postpone'
          ? fulfilments.postpone(claim!, 'one', clock.now() + 5_000)
          : fulfilments[write](claim!, 'one');

      expect(await writeAs(lost)).toBe(false);
      expect(await readRows(home.url, 'select * from fulfilments')).toEqual(before);
      expect(await writeAs(held)).toBe(true);
    },
  );

  test('that nobody hears of are found by their owner, while enough of their lease is left', async () => {
    await payOrder(store, 'r', clock.now());
    await fulfilments.claim('one', clock.now(), 60_000, 1);

    expect(await fulfilments.findHeld('one', clock.now(), 1_000)).toEqual([
      { orderId: 'r', reference: 'r', attempts: 1, leaseVersion: 1, dueAt: clock.now() },
    ]);
    expect(await fulfilments.findHeld('one', clock.now(), 61_000)).toEqual([]);
    expect(await fulfilments.findHeld('other', clock.now(), 1_000)).toEqual([]);
  });

  test('that are never answered are handed over, each once', async () => {
    const calls: string[] = [];
    for (const reference of ['a', 'b', 'c']) await payOrder(store, reference, clock.now());
    loseClaims('claim');
    const worker = startWorker(async ({ reference }) => void calls.push(reference));

    const done = () =>
      readRows(home.url, "select 1 from fulfilments where state = 'done' and attempts = 1");
    await passTimeUntil(async () => expect(await done()).toHaveLength(3));

    expect(calls.sort()).toEqual(['a', 'b', 'c']);
    await worker.stop();
  });

  test('of what others died of are tried one at a time also where they are never answered (T112)', async () => {
    let running = 0;
    let most = 0;
    for (const reference of ['a', 'b', 'c']) await payOrder(store, reference, clock.now());
    for (let life = 0; life < 3; life++) await fulfilments.claim(`life ${life}`, clock.now(), 0, 3);
    loseClaims('claimSuspect');
    const worker = startWorker(async () => {
      most = Math.max(most, ++running);
      await new Promise(setImmediate);
      running -= 1;
    });

    const done = () =>
      readRows(home.url, "select 1 from fulfilments where state = 'done' and attempts = 4");
    await passTimeUntil(async () => expect(await done()).toHaveLength(3));

    expect(most).toBe(1);
    await worker.stop();
  });
});
