import SqliteFile from 'better-sqlite3';
import type { Transaction } from 'kysely';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { PATIENT, PATIENT_DATABASE } from '../../test/patience.ts';
import { isDatabaseFailure } from '../support/database-failure.ts';
import { makeDatabaseUrl, readRows, type TestDatabase } from '../testing/databases.ts';
import { type Database, openDatabase } from './open.ts';
import type { Tables } from './schema.ts';

let home: TestDatabase;
let database: Database;
let commits: number;

beforeEach(async () => {
  home = await makeDatabaseUrl('sqlite');
  await open(PATIENT_DATABASE.respondWithinMs);
});

afterEach(async () => {
  await database.close();
  await home.drop();
});

async function open(respondWithinMs?: number): Promise<void> {
  commits = 0;
  database = await openDatabase(home.url, {
    respondWithinMs,
    failpoint: (name) => {
      if (name === 'after-commit') commits += 1;
    },
  });
}

const deliver = (id: string) => (trx: Transaction<Tables>) =>
  trx
    .insertInto('service_pay_webhook_deliveries')
    .values({ id, event: 'e', reference: null, body: '', received_at: 1 })
    .returning('id')
    .executeTakeFirstOrThrow();

const stored = async () =>
  (
    await readRows<{ id: string }>(
      home.url,
      'select id from service_pay_webhook_deliveries order by id',
    )
  ).map(({ id }) => id);

function hold(): () => void {
  const holder = new SqliteFile(home.url.slice('file:'.length));
  holder.exec('begin immediate');
  return () => {
    holder.exec('rollback');
    holder.close();
  };
}

test('Writes requested together are one commit, and each gets its own result.', async () => {
  const results = await Promise.all(['a', 'b', 'c'].map((id) => database.write(deliver(id))));

  expect(results).toEqual([{ id: 'a' }, { id: 'b' }, { id: 'c' }]);
  expect(await stored()).toEqual(['a', 'b', 'c']);
  expect(commits).toBe(1);
});

test('A write that fails takes none of its neighbours with it, and leaves nothing half done.', async () => {
  const failing = Array.from({ length: 6 }, (_, at) =>
    database.write(async (trx) => {
      await deliver(`half ${at}`)(trx);
      throw new Error('no');
    }),
  );

  const results = await Promise.allSettled([
    database.write(deliver('a')),
    ...failing,
    database.write(deliver('a')),
    database.write(deliver('b')),
  ]);

  expect(results.map(({ status }) => status)).toEqual([
    'fulfilled',
    ...Array(7).fill('rejected'),
    'fulfilled',
  ]);
  expect(await stored()).toEqual(['a', 'b']);
  expect(await database.write(deliver('later'))).toEqual({ id: 'later' });
});

test('Writes beyond what waits at most are rejected at once, and none is lost of the others (F8).', async () => {
  const results = await Promise.allSettled(
    Array.from({ length: 6_000 }, (_, at) => database.write(async () => at)),
  );

  const rejected = results.filter(({ status }) => status === 'rejected') as PromiseRejectedResult[];
  expect(rejected).toHaveLength(1_000);
  expect(rejected.every(({ reason }) => isDatabaseFailure(reason))).toBe(true);
  expect(await database.write(deliver('later'))).toEqual({ id: 'later' });
});

test('While another process holds the file, writes are rejected in time, the event loop turns, and they work again at once (T92, F8).', async () => {
  await database.close();
  await open();
  const release = hold();
  let turns = 0;
  let isWatching = true;
  const watching = (async () => {
    while (isWatching) {
      await new Promise(setImmediate);
      turns += 1;
    }
  })();

  const results = await Promise.allSettled(
    Array.from({ length: 20 }, (_, at) => database.write(deliver(`held ${at}`))),
  );
  isWatching = false;
  await watching;
  release();

  expect(
    results.every((result) => result.status === 'rejected' && isDatabaseFailure(result.reason)),
  ).toBe(true);
  expect(turns).toBeGreaterThan(10); // one that waits in SQLite turns a few times
  await vi.waitFor(
    async () => expect(await database.write(deliver('after'))).toEqual({ id: 'after' }),
    PATIENT,
  );
  expect(await stored()).toEqual(['after']);
});

test('A write waits for another process that is done soon.', async () => {
  const release = hold();
  const result = database.write(deliver('a'));
  for (let turns = 0; turns < 100; turns++) await new Promise(setImmediate);
  release();

  expect(await result).toEqual({ id: 'a' });
});
