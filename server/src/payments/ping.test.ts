import { sql } from 'kysely';
import { expect, test } from 'vitest';

import { openDatabase } from '../database/open.ts';
import { isDatabaseFailure } from '../support/database-failure.ts';
import { DATABASES, makeDatabaseUrl } from '../testing/databases.ts';
import { PaymentStore } from './store.ts';

test.each(DATABASES)('ping fails if the database has become read-only (%s, T122)', async (kind) => {
  const home = await makeDatabaseUrl(kind);
  const database = await openDatabase(home.url);
  const store = new PaymentStore(database);
  await store.ping();

  const readOnly =
    kind === 'sqlite' ? sql`pragma query_only = on` : sql`set default_transaction_read_only = on`;
  await readOnly.execute(database.db);
  const failure = await store.ping().catch((error: unknown) => error);

  expect(isDatabaseFailure(failure)).toBe(true);
  await database.close();
  await home.drop();
});
