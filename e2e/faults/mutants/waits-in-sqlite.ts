import type { Database } from '@service-pay/server/internal/database/open';
import * as sound from '@service-pay/server/internal/database/sqlite';
import { sql } from 'kysely';

export const insteadOf = '@service-pay/server/internal/database/sqlite';
export * from '@service-pay/server/internal/database/sqlite';

/** Lets SQLite wait for a lock, which holds up the whole process. */
export async function openSqliteDatabase(
  ...given: Parameters<typeof sound.openSqliteDatabase>
): Promise<Database> {
  const database = await sound.openSqliteDatabase(...given);
  await sql`pragma busy_timeout = 5000`.execute(database.db);
  return database;
}
