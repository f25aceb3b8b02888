import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { buildTestLog, passTimeUntil, payOrder } from '../../test/parts.ts';
import { PATIENT } from '../../test/patience.ts';
import { openSlowCommits, type SlowCommits } from '../../test/slow-commits.ts';
import { type Database, openDatabase } from '../database/open.ts';
import { Metrics } from '../observe/metrics.ts';
import { PaymentFeed } from '../payments/payment-feed.ts';
import { PaymentStore } from '../payments/store.ts';
import {
  makeDatabaseUrl,
  POSTGRES_IS_MISSING,
  readRows,
  type TestDatabase,
} from '../testing/databases.ts';
import { ManualClock } from '../testing/manual-clock.ts';
import type { Fulfil } from './fulfil.ts';
import { FulfilmentStore } from './store.ts';
import { FulfilmentWorker } from './worker.ts';

const RESPOND_WITHIN_MS = 2_000;
const LATE_MS = 2_500;

let home: TestDatabase;
let database: Database;
let store: PaymentStore;
let fulfilments: FulfilmentStore;
let clock: ManualClock;
let metrics: Metrics;
let lines: string[];

async function open(url: string): Promise<void> {
  database = await openDatabase(url, { respondWithinMs: RESPOND_WITHIN_MS });
  store = new PaymentStore(database);
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
  const worker = new FulfilmentWorker({
    fulfilments,
    feed: new PaymentFeed(),
    fulfil,
    metrics,
    clock,
    log,
  });
  worker.start();
  return worker;
}

async function rowOf(
  reference: string,
): Promise<{ state: string; attempts: number; due_at: number } | undefined> {
  return (
    await readRows<any>(
      home.url,
      'select state, attempts, due_at, lease_until from service_pay_fulfilments where reference = ?',
      [reference],
    )
  )[0];
}

describe.skipIf(POSTGRES_IS_MISSING)('where commits take longer than anybody waits', () => {
  let slow: SlowCommits;

  beforeEach(async () => {
    home = await makeDatabaseUrl('postgres');
    slow = await openSlowCommits(home.url);
    await open(slow.url);
  });

  afterEach(() => slow.close());

  test('where commits take longer than anybody waits, a paid order is handed over when they are quicker, and in its first attempt', async () => {
    let calls = 0;
    await payOrder(store, 'r', clock.now());
    slow.delayMs = LATE_MS;
    const worker = startWorker(async () => {
      calls += 1;
    });

    await passTimeUntil(clock, async () => expect(await rowOf('r')).toMatchObject({ attempts: 1 }));
    slow.delayMs = 0;
    await passTimeUntil(clock, async () =>
      expect(await rowOf('r')).toMatchObject({ state: 'done', attempts: 1 }),
    );

    expect(calls).toBe(1);
    await worker.stop();
  });

  test('where commits take longer than anybody waits, an order whose call failed is called again when they are quicker, and not before its time', async () => {
    const calledAt: number[] = [];
    await payOrder(store, 'r', clock.now());
    const worker = startWorker(async () => {
      calledAt.push(clock.now());
      if (calledAt.length > 1) return;
      slow.delayMs = LATE_MS;
      throw new Error('The warehouse is closed.');
    });

    await passTimeUntil(clock, async () =>
      expect(await rowOf('r')).toMatchObject({ attempts: 1, lease_until: 0 }),
    );
    slow.delayMs = 0;
    await passTimeUntil(clock, async () =>
      expect(await rowOf('r')).toMatchObject({ state: 'done', attempts: 2 }),
    );

    expect(calledAt[1]! - calledAt[0]!).toBeGreaterThanOrEqual(2_000);
    expect(calledAt).toHaveLength(2);
    await worker.stop();
  });

  test('where commits take longer than anybody waits, an order that is parked then raises its one alert', async () => {
    let calls = 0;
    await payOrder(store, 'r', clock.now());
    const worker = startWorker(async () => {
      calls += 1;
      if (calls === 10) slow.delayMs = LATE_MS;
      throw new Error('The warehouse is closed.');
    });

    await vi.waitFor(async () => {
      const row = (await rowOf('r'))!;
      if (row.state === 'waiting') await clock.jump(Math.max(50, row.due_at - clock.now()));
      expect(row).toMatchObject({ state: 'parked', attempts: 10 });
    }, PATIENT);
    await vi.waitFor(
      () => expect(lines.some((line) => line.includes('"result":"parked"'))).toBe(true),
      PATIENT,
    );
    slow.delayMs = 0;
    await passTimeUntil(clock, async () =>
      expect((await metrics.text()).own).toContain(
        'service_pay_alerts_total{reason="fulfilment_parked"} 1',
      ),
    );

    expect(calls).toBe(10);
    expect(lines.filter((line) => line.includes('order parked'))).toHaveLength(1);
    await worker.stop();
  });
});
