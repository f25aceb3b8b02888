import * as sound from '@service-pay/server/internal/database/sqlite';
import { sql } from 'kysely';

export const insteadOf = '@service-pay/server/internal/database/sqlite';
export * from '@service-pay/server/internal/database/sqlite';

/** Lets SQLite sync now and then, not with each commit. */
export const openSqliteDatabase: typeof sound.openSqliteDatabase = async (...given) => {
  const database = await sound.openSqliteDatabase(...given);
  await sql`pragma synchronous = normal`.execute(database.db);
  return database;
};
