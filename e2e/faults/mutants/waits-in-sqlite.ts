import * as sound from '@service-pay/server/internal/database/sqlite';
import { sql } from 'kysely';

export const insteadOf = '@service-pay/server/internal/database/sqlite';
export * from '@service-pay/server/internal/database/sqlite';

/** Lets SQLite wait for a lock, which holds up the whole process. */
export const openSqliteDatabase: typeof sound.openSqliteDatabase = async (...given) => {
  const database = await sound.openSqliteDatabase(...given);
  await sql`pragma busy_timeout = 5000`.execute(database.db);
  return database;
};
