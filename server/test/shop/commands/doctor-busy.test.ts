import { renameSync } from 'node:fs';
import SqliteFile from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { checkRecords, checkWriting } from '../../../src/cli/doctor.ts';
import { type Database, openDatabase } from '../../../src/database/open.ts';
import { makeDatabaseUrl, type TestDatabase } from '../../database.ts';

let home: TestDatabase;
let file: string;
let database: Database;

beforeEach(async () => {
  home = await makeDatabaseUrl('sqlite');
  file = home.url.slice('file:'.length);
  database = await openDatabase(home.url);
});

afterEach(async () => {
  await database.close();
  await home.drop();
});

test('the doctor reports a database that another process keeps locked, and one that is free again (T92)', async () => {
  const other = new SqliteFile(file);
  other.exec('begin immediate');

  const locked = await checkWriting(database);
  other.exec('rollback');
  const free = await checkWriting(database);
  other.close();

  expect(locked).toMatchObject({ verdict: 'problem', says: 'The database accepts no writes now.' });
  expect(free).toMatchObject({ check: 'Writing', verdict: 'ok' });
});

test('the doctor reports each check of a database that is gone, and ends in no error', async () => {
  renameSync(file, `${file}.away`);

  const findings = await checkRecords(database);
  renameSync(`${file}.away`, file);

  const says = 'The database does not answer right now.';
  expect(findings).toMatchObject([
    { check: 'Deliveries', verdict: 'problem', says },
    { check: 'Orders', verdict: 'problem', says },
  ]);
});
