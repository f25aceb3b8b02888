import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  countListeners,
  makeDatabaseUrl,
  POSTGRES_IS_MISSING,
  type TestDatabase,
} from '../../test/database.ts';
import { ManualClock, PATIENT } from '../../test/manual-clock.ts';
import { buildTestLog } from '../../test/parts.ts';
import { type Database, openDatabase } from '../database/open.ts';
import { ShopStore } from '../payments/store.ts';
import { PaymentFeed } from './bus.ts';
import { startPaymentNotices } from './postgres-notify.ts';

const log = buildTestLog();

let home: TestDatabase;
let database: Database;
let clock: ManualClock;
let closers: (() => Promise<void>)[];

beforeEach(async () => {
  if (POSTGRES_IS_MISSING) return;
  home = await makeDatabaseUrl('postgres');
  database = await openDatabase(home.url);
  clock = new ManualClock();
  closers = [home.drop, database.close];
});

afterEach(async () => {
  for (const close of closers.reverse()) await close();
});

function startNotices(): { feed: PaymentFeed; heard: string[]; stop(): Promise<void> } {
  const feed = new PaymentFeed();
  const heard: string[] = [];
  feed.watch('r', () => heard.push('r'));
  const { stop } = startPaymentNotices({
    feed,
    store: new ShopStore(database),
    database,
    clock,
    log,
  });
  return { feed, heard, stop };
}

async function listeners(count: number): Promise<void> {
  await vi.waitFor(async () => expect(await countListeners(home.url)).toBe(count), PATIENT);
}

describe.skipIf(POSTGRES_IS_MISSING)('notices of payments', () => {
  test('come through again after no connection could even be made, and nothing is thrown where nobody hears it (F8)', async () => {
    const { pool } = database;
    const { connectionString } = pool!.options;
    pool!.options.connectionString = `${home.url}?sslrootcert=/nowhere.pem`;
    const one = startNotices();
    one.feed.tell('of-nobody');
    await new Promise(setImmediate);

    pool!.options.connectionString = connectionString;
    await clock.advance(1_000);
    const other = startNotices();
    await listeners(2);
    one.feed.tell('r');

    await vi.waitFor(() => expect(other.heard).toEqual(['r']), PATIENT);
    await Promise.all([one.stop(), other.stop()]);
  });
});
