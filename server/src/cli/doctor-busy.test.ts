import SqliteFile from 'better-sqlite3';
import { expect, test } from 'vitest';
import { runCommandIn } from '../../test/command.ts';
import { openDatabase } from '../database/open.ts';
import { makeDatabaseUrl } from '../testing/databases.ts';

test('the doctor reports a database that another process keeps locked, and one that is free again (T92)', async () => {
  const home = await makeDatabaseUrl('sqlite');
  await (await openDatabase(home.url)).close();
  const other = new SqliteFile(home.url.slice('file:'.length));
  const settings = { SERVICE_PAY_API_TOKEN: 'sec_sandbox_demo', DATABASE_URL: home.url };
  other.exec('begin immediate');

  const run = () =>
    runCommandIn({ ...settings, PORT: '9' }, 'doctor', [], { respondWithinMs: 1_000 });
  const locked = await run();
  other.exec('rollback');
  const free = await run();
  other.close();
  await home.drop();

  expect(locked.code).toBe(1);
  expect(locked.stdout).toMatch(/^problem +Writing +The database takes no writes, so /m);
  expect(free.stdout).toMatch(/^ok +Writing +The database accepts writes\.$/m);
});
