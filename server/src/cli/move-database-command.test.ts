import { copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import SqliteFile from 'better-sqlite3';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { runShopCommand, runShopProgram } from '../../test/command.ts';
import { PATIENT } from '../../test/patience.ts';
import { ONE_HONEY, startTestShop } from '../../test/shop.ts';
import { type Database, openDatabase } from '../database/open.ts';
import {
  DATABASES,
  makeDatabaseUrl,
  POSTGRES_IS_MISSING,
  readRows,
  type TestDatabase,
} from '../testing/databases.ts';
import { collectionResponse, startUpstream, TOKEN } from '../testing/upstream.ts';
import { type Config, parseConfig } from './settings.ts';

const ORDER_OF: Record<string, string> = {
  service_pay_payments: 'reference',
  service_pay_webhook_deliveries: 'id',
  service_pay_fulfilments: 'order_id',
  service_pay_idempotency_keys: 'key',
};

// Each starts shops and a program or two: that takes its time on a busy machine.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

let service: Awaited<ReturnType<typeof startUpstream>>;
const paidReferences = new Set<string>();
let file: TestDatabase;

beforeEach(async () => {
  service = await startUpstream((req, res) => {
    const isPaid = paidReferences.has(req.url!.split('/').at(-1)!);
    res.end(collectionResponse(req.url!, { status: isPaid ? 'successful' : 'pending' }));
  });
  file = await makeDatabaseUrl('sqlite');
});

afterEach(async () => {
  await service.close();
  await file.drop();
});

async function receiveMany(count: number): Promise<void> {
  const { db, close } = await openDatabase(file.url);
  await sql`
    insert into service_pay_webhook_deliveries (id, event, reference, body, received_at)
    with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${count})
    select 'delivery-' || n, 'collection.settled', null, '{}', n from numbers`.execute(db);
  await close();
}

const recordsOf = async (url: string) =>
  Promise.all(
    Object.entries(ORDER_OF).map(async ([table, order]) => ({
      table,
      rows: await readRows(url, `select * from ${table} order by ${order}`),
    })),
  );

describe.skipIf(POSTGRES_IS_MISSING)(
  'service-pay move-database (skipped where PostgreSQL is missing)',
  () => {
    test('service-pay move-database copies every record, and the shop goes on where it was with the same browsers', async () => {
      const database = await makeDatabaseUrl('postgres');
      const before = await startTestShop(service.url, {}, { DATABASE_URL: file.url });
      const browser = before.browser();
      const paid = await browser.order();
      paidReferences.add(paid);
      await browser.verify(paid);
      await vi.waitFor(
        async () =>
          expect(
            await before.rows("select 1 from service_pay_fulfilments where state = 'done'"),
          ).toHaveLength(1),
        PATIENT,
      );
      const open: string = (
        await browser.post('/api/orders', ONE_HONEY, { 'idempotency-key': 'the-same-again' })
      ).json.data.reference;
      const { config } = before;
      await before.close();
      await receiveMany(8_000);
      const records = await recordsOf(file.url);

      const ended = await runShopCommand(
        'move-database',
        { ...config, databaseUrl: database.url },
        [file.url],
      );

      expect(ended.stderr).toBe('');
      expect(ended.code).toBe(0);
      expect(ended.stdout).toMatch(
        /^payments: 2\nwebhook_deliveries: 8000\nfulfilments: 1\nidempotency_keys: 1\n/,
      );
      expect(await recordsOf(database.url)).toEqual(records);
      expect(await recordsOf(file.url)).toEqual(records);

      const after = await startTestShop(service.url, {}, { DATABASE_URL: database.url });
      const same = after.browser();
      same.cookie = browser.cookie;
      expect((await same.verify(paid)).json.data.status).toBe('successful');
      paidReferences.add(open);
      expect((await same.verify(open)).json.data.status).toBe('successful');
      expect(
        (await same.post('/api/orders', ONE_HONEY, { 'idempotency-key': 'the-same-again' })).json
          .data.reference,
      ).toBe(open);
      await after.close();
      await database.drop();
    });
  },
);

describe.each(DATABASES)('service-pay move-database to %s', (kind) => {
  test('service-pay move-database rejects a database that has records, and changes nothing in either', async () => {
    const database = await makeDatabaseUrl(kind);
    const other = await startTestShop(service.url, {}, { DATABASE_URL: database.url });
    await other.browser().order();
    await other.close();
    await (await startTestShop(service.url, {}, { DATABASE_URL: file.url })).close();
    await receiveMany(1);
    const records = await recordsOf(database.url);

    const ended = await runShopCommand('move-database', other.config, [file.url]);

    expect([ended.code, ended.stdout]).toEqual([1, '']);
    expect(ended.stderr).toContain('has records already');
    expect(await recordsOf(database.url)).toEqual(records);
    await database.drop();
  });

  test('service-pay move-database says what it needs where no file is named or the setting is still the old one', async () => {
    const database = await makeDatabaseUrl(kind);
    const shop = await startTestShop(service.url, {}, { DATABASE_URL: file.url });
    await shop.close();
    await receiveMany(1);
    const { config } = shop;

    const results = await Promise.all([
      runShopCommand('move-database', { ...config, databaseUrl: database.url }, []),
      runShopCommand('move-database', config, [file.url]),
    ]);

    expect(results).toMatchObject([
      { code: 1, stderr: expect.stringContaining('Usage: npx --no -- service-pay move-database') },
      { code: 1, stderr: expect.stringContaining('Set DATABASE_URL to the new, empty one') },
    ]);
    await database.drop();
  });
});

describe('service-pay move-database, given a file that is no shop of this version', () => {
  let config: Config;
  let target: TestDatabase;
  let path: string;

  beforeEach(async () => {
    target = await makeDatabaseUrl('sqlite');
    path = file.url.slice('file:'.length);
    const settings = {
      SERVICE_PAY_API_TOKEN: TOKEN,
      SESSION_SECRET: 'a-session-secret-of-the-tests-0123456789',
    };
    config = parseConfig({ ...settings, DATABASE_URL: target.url });
  });

  afterEach(() => target.drop());

  const open = async (change: (database: Database) => Promise<unknown> = async () => {}) => {
    const database = await openDatabase(file.url);
    await change(database);
    await database.close();
  };

  test.each<[string, () => unknown, RegExp]>([
    ['is not there', () => {}, /it is not there/],
    ['is empty', () => writeFileSync(path, ''), /it has no tables of a shop/],
    [
      'is of another program',
      () => new SqliteFile(path).exec('create table notes (words text)').close(),
      /it has no tables of a shop/,
    ],
    [
      'is of the version before',
      () =>
        open(({ db }) => sql`delete from service_pay_migrations where name > '0008'`.execute(db)),
      /its schema is older than this program \(without 0008-.*\): take a backup, then start this version of the shop on it once/,
    ],
    [
      'is of a later version',
      () =>
        open(({ db }) =>
          sql`insert into service_pay_migrations values ('9999-of-tomorrow', '')`.execute(db),
        ),
      /its schema is newer than this program \(9999-of-tomorrow\): start the version that made it/,
    ],
  ])(
    'service-pay move-database, given a file that %s: says so, and makes and changes nothing',
    async (_name, make, sentence) => {
      await make();
      const before = existsSync(path) && readFileSync(path);

      const ended = await runShopCommand('move-database', config, [file.url]);

      expect(ended).toEqual({ code: 1, stdout: '', stderr: expect.stringMatching(sentence) });
      expect(existsSync(path) && readFileSync(path)).toEqual(before);
      expect(existsSync(target.url.slice('file:'.length))).toBe(false);
    },
  );

  test('service-pay move-database, given a file that a shop was killed on: moves what its log holds', async () => {
    await open();
    // its log is written to the file when the last one closes it
    const writing = new SqliteFile(path);
    const row = ['delivery', 'collection.settled', '{}', 1];
    writing
      .prepare(
        'insert into service_pay_webhook_deliveries (id, event, body, received_at) values (?, ?, ?, ?)',
      )
      .run(row);
    const killed = await makeDatabaseUrl('sqlite');
    for (const end of ['', '-wal'])
      copyFileSync(path + end, killed.url.slice('file:'.length) + end);
    writing.close();

    const ended = await runShopCommand('move-database', config, [killed.url]);

    expect(ended).toMatchObject({
      code: 0,
      stderr: '',
      stdout: expect.stringContaining('webhook_deliveries: 1\n'),
    });
    expect(await recordsOf(target.url)).toEqual(await recordsOf(killed.url));
    await killed.drop();
  });

  test('service-pay move-database, given a file that a shop still has open, idle: is rejected, and leaves the new database empty', async () => {
    await receiveMany(1);
    const shop = await openDatabase(file.url);

    const ended = await runShopProgram('move-database', config, [file.url]);

    expect(ended).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^The file is in use\. Stop the shop/),
    });
    expect(await readRows(target.url, 'select 1 from service_pay_webhook_deliveries')).toEqual([]);
    await shop.close();
  });
});
