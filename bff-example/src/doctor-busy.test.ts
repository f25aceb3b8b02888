import { renameSync } from 'node:fs';
import { checkDesk, checkTold, checkWriting } from '@service-pay/server/cli/doctor/database';
import { checkShop } from '@service-pay/server/cli/doctor/shop';
import { type Database, openDatabase } from '@service-pay/server/database/open';
import SqliteFile from 'better-sqlite3';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startTestShop, type TestShop } from './test-shop.ts';

// A lock that is never given back is waited for, a few times over.
vi.setConfig({ testTimeout: 60_000 });

let shop: TestShop;
let database: Database;
let other: SqliteFile.Database;
/** What happens in the shop when it has stored a webhook and not yet answered. */
let onceStored: () => void;

beforeEach(async () => {
  onceStored = () => {};
  const failpoint = (name: string) => void (name === 'before-acknowledge' && onceStored());
  shop = await startTestShop('http://localhost:9', { failpoint });
  database = await openDatabase(shop.config.databaseUrl);
  other = new SqliteFile(shop.config.databaseUrl.slice('file:'.length));
});

afterEach(async () => {
  other.close();
  await database.close();
  await shop.close();
});

const hold = () => void other.exec('begin immediate');
const giveBack = () => void other.exec('rollback');
const checkHere = () => checkShop({ ...shop.config, publicUrl: shop.url }, database);

/** Gives the lock back once it was asked for in vain. */
function giveBackAtSecondTry(): void {
  const begin = database.db.transaction.bind(database.db);
  let tries = 0;
  vi.spyOn(database.db, 'transaction').mockImplementation(() => {
    tries += 1;
    if (tries === 2) giveBack();
    return begin();
  });
}

test('the doctor waits for a lock that another process holds for a moment (T92)', async () => {
  giveBackAtSecondTry();
  hold();

  expect(await checkWriting(database)).toMatchObject({ check: 'Writing', verdict: 'ok' });
  expect(await shop.rows('select 1 from service_pay_idempotency_keys')).toEqual([]);
});

test('it takes its own webhook out of the inbox, where another process writes, too (T92)', async () => {
  giveBackAtSecondTry();
  onceStored = hold;

  expect(await checkHere()).toMatchObject([{ verdict: 'ok' }, { check: 'Webhook', verdict: 'ok' }]);
  expect(await shop.rows('select 1 from service_pay_webhook_deliveries')).toEqual([]);
});

test('a lock that is not given back is what it found, and its webhook that stays is named (T92)', async () => {
  hold();
  const writing = await checkWriting(database);
  giveBack();
  onceStored = hold;
  const here = await checkHere();
  giveBack();

  expect(writing).toMatchObject({ verdict: 'problem', says: 'The database takes no writes now.' });
  expect(here).toMatchObject([
    { verdict: 'ok' },
    {
      check: 'Webhook',
      verdict: 'problem',
      says: expect.stringMatching(/is stored, but cannot be taken out of the inbox again/),
    },
  ]);
});

test('a database that is gone is a finding for each check, and no end of them all', async () => {
  const file = shop.config.databaseUrl.slice('file:'.length);
  renameSync(file, `${file}.away`);

  const findings = [await checkTold(database), ...(await checkDesk(database))];
  renameSync(`${file}.away`, file);

  expect(findings).toMatchObject([
    { check: 'Deliveries', verdict: 'problem', says: 'The database does not answer right now.' },
    { check: 'Desk', verdict: 'problem', says: 'The database does not answer right now.' },
  ]);
});
