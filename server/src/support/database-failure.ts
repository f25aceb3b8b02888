/** The database did not respond in time, so the statement may or may not have run. */
export class NoResponseError extends Error {
  override readonly name = 'NoResponseError';
}

/** Returns whether an error means that the database is locked, full, read-only or gone. */
export function isDatabaseFailure(error: unknown): boolean {
  if (error instanceof NoResponseError) return true;
  if (isSqliteError(error)) return !error.code.startsWith('SQLITE_CONSTRAINT');
  return isServerError(error) && OF_THE_SERVER.test(error.code ?? '');
}

/** Returns whether SQLite sent this error, whichever copy of `better-sqlite3` read it. */
export function isSqliteError(error: unknown): error is Error & { code: string } {
  return error instanceof Error && error.name === 'SqliteError' && 'code' in error;
}

/** Returns whether a PostgreSQL server sent this error, whichever copy of `pg` read it. */
export function isServerError(error: unknown): error is Error & { code?: string } {
  return error instanceof Error && 'severity' in error;
}

const OF_THE_SERVER = /^(?:08|25006|25P0|28|3D|40|53|55P03|57|58|F0|XX)/;
