import { sql } from 'kysely';
import { expect, test } from 'vitest';

import { openDatabase } from '../database/open.ts';
import { isDatabaseFailure } from '../support/database-failure.ts';
import { DATABASES, makeDatabaseUrl } from '../testing/databases.ts';
import { ping } from './ping.ts';

test.each(DATABASES)('ping fails if the database has become read-only (%s, T122)', async (kind) => {
  const home = await makeDatabaseUrl(kind);
  const database = await openDatabase(home.url);
  await ping(database);

  const readOnly =
    kind === 'sqlite' ? sql`pragma query_only = on` : sql`set default_transaction_read_only = on`;
  await readOnly.execute(database.db);
  const failure = await ping(database).catch((error: unknown) => error);

  expect(isDatabaseFailure(failure)).toBe(true);
  await database.close();
  await home.drop();
});
