import type { Kysely } from 'kysely';
import type { Pool } from 'pg';

import { isPostgresFailure, openPostgresDatabase } from './postgres-database.ts';
import { isSqliteFailure, openSqliteDatabase } from './sqlite-database.ts';
import type { Tables } from './tables.ts';

/** What the shop stores in: one file on one machine, or a PostgreSQL that many instances share. */
export interface Database {
  readonly kind: 'sqlite' | 'postgres';
  readonly db: Kysely<Tables>;
  /** Connections of the same settings, for what Kysely does not say. */
  readonly pool?: Pool;
  close(): Promise<void>;
}

/** Why the database cannot be used, in one sentence. */
export class DatabaseError extends Error {
  override readonly name = 'DatabaseError';
}

/**
 * Opens the database of `file:/absolute/path` or `postgres://…`, making its tables where there are none, and brings its schema up
 * to date. Promises that a commit is on the disk when it is answered (T109). Throws `DatabaseError`, which names no value.
 */
export async function openDatabase(databaseUrl: string): Promise<Database> {
  const isFile = databaseUrl.startsWith('file:');
  try {
    return await (isFile ? openSqliteDatabase(databaseUrl.slice('file:'.length)) : openPostgresDatabase(databaseUrl));
  } catch (error) {
    const what = isFile ? 'The database file' : 'The PostgreSQL database';
    throw new DatabaseError(`${what} cannot be used: ${(error as Error).message}. It was left as it is; see DATABASE_URL.`, {
      cause: error,
    });
  }
}

/** Whether a thrown thing means that the database does not answer, or not now: locked, full, read-only, gone. */
export function isDatabaseFailure(error: unknown): boolean {
  return isSqliteFailure(error) || isPostgresFailure(error);
}
