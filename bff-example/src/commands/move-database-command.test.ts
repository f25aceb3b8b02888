import { type Sandbox, startSandbox } from '@service-pay/sandbox';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

import { openDatabase } from '../database.ts';
import { DATABASES, makeDatabaseUrl, POSTGRES_IS_MISSING, type TestDatabase } from '../test-database.ts';
import { ONE_HONEY, PATIENT, readRows, startTestShop } from '../test-shop.ts';
import { runShopCommand } from './test-command.ts';

const TABLES = ['orders', 'payments', 'webhook_deliveries', 'fulfilments', 'idempotency_keys'];
const ORDER_OF: Record<string, string> = {
  orders: 'id',
  payments: 'reference',
  webhook_deliveries: 'id',
  fulfilments: 'order_id',
  idempotency_keys: 'key',
};

// Each starts shops and a program or two: that takes its time on a busy machine.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

let sandbox: Sandbox;
let file: TestDatabase;

beforeEach(async () => {
  sandbox = await startSandbox();
  file = await makeDatabaseUrl('sqlite');
});

afterEach(async () => {
  await sandbox.close();
  await file.drop();
});

/** So many deliveries that copying them takes longer than any other transaction of a shop may. */
async function receiveMany(count: number): Promise<void> {
  const { db, close } = await openDatabase(file.url);
  await sql`
    insert into webhook_deliveries (id, event, reference, body, received_at)
    with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${count})
    select 'delivery-' || n, 'collection.settled', null, '{}', n from numbers`.execute(db);
  await close();
}

const recordsOf = async (url: string) =>
  Promise.all(TABLES.map(async (table) => ({ table, rows: await readRows(url, `select * from ${table} order by ${ORDER_OF[table]}`) })));

describe.skipIf(POSTGRES_IS_MISSING)('npm run move-database (skipped where PostgreSQL is missing)', () => {
  test('copies every record, and the shop goes on where it was with the same browsers', async () => {
    const database = await makeDatabaseUrl('postgres');
    const before = await startTestShop(sandbox.url, {}, { DATABASE_URL: file.url });
    const browser = before.browser();
    const paid = await browser.order();
    await sandbox.control.putCollection({ reference: paid, amount: '92.50' });
    await browser.verify(paid);
    await vi.waitFor(async () => expect(await before.rows("select 1 from fulfilments where state = 'done'")).toHaveLength(1), PATIENT);
    const open: string = (await browser.post('/api/orders', ONE_HONEY, { 'idempotency-key': 'the-same-again' })).json.data.reference;
    const { config } = before;
    await before.close();
    await receiveMany(8_000);
    const records = await recordsOf(file.url);

    const ended = await runShopCommand('move-database', { ...config, databaseUrl: database.url }, [file.url]);

    expect(ended.stderr).toBe('');
    expect(ended.code).toBe(0);
    expect(ended.stdout).toMatch(/^orders: 2\npayments: 2\nwebhook_deliveries: 8000\nfulfilments: 1\nidempotency_keys: 1\n/);
    expect(await recordsOf(database.url)).toEqual(records);
    expect(await recordsOf(file.url)).toEqual(records);

    const after = await startTestShop(sandbox.url, {}, { DATABASE_URL: database.url });
    const same = after.browser();
    same.cookie = browser.cookie;
    expect((await same.verify(paid)).json.data.status).toBe('successful');
    await sandbox.control.putCollection({ reference: open, amount: '92.50' });
    expect((await same.verify(open)).json.data.status).toBe('successful');
    expect((await same.post('/api/orders', ONE_HONEY, { 'idempotency-key': 'the-same-again' })).json.data.reference).toBe(open);
    await after.close();
    await database.drop();
  });
});

describe.each(DATABASES)('npm run move-database to %s', (kind) => {
  test('refuses a database that has records, and changes nothing in either', async () => {
    const database = await makeDatabaseUrl(kind);
    const other = await startTestShop(sandbox.url, {}, { DATABASE_URL: database.url });
    await other.browser().order();
    await other.close();
    await (await startTestShop(sandbox.url, {}, { DATABASE_URL: file.url })).close();
    const records = await recordsOf(database.url);

    const ended = await runShopCommand('move-database', other.config, [file.url]);

    expect([ended.code, ended.stdout]).toEqual([1, '']);
    expect(ended.stderr).toContain('has records already');
    expect(await recordsOf(database.url)).toEqual(records);
    await database.drop();
  });

  test('says what it needs where the file is missing or the setting is still the old one', async () => {
    const database = await makeDatabaseUrl(kind);
    const shop = await startTestShop(sandbox.url, {}, { DATABASE_URL: file.url });
    await shop.close();
    const { config } = shop;

    const answers = await Promise.all([
      runShopCommand('move-database', { ...config, databaseUrl: database.url }, []),
      runShopCommand('move-database', { ...config, databaseUrl: database.url }, ['file:/nowhere/shop.db']),
      runShopCommand('move-database', config, [file.url]),
    ]);

    expect(answers.map(({ code, stderr }) => [code, /Usage: npm run move-database/.test(stderr)])).toEqual([
      [1, true],
      [1, true],
      [1, true],
    ]);
    expect(answers[1]?.stderr).toContain('There is no file /nowhere/shop.db');
    expect(answers[2]?.stderr).toContain('DATABASE_URL still names that file');
    await database.drop();
  });
});
