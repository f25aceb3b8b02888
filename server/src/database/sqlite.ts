import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import SqliteFile from 'better-sqlite3';
import { Kysely, type SqliteDatabase, SqliteDialect } from 'kysely';
import { GroupCommit } from './group-commit.ts';
import { assertUpToDate, migrate } from './migrations.ts';
import { NoAnswerError } from './no-answer-error.ts';
import type { Database, OpenSettings } from './open.ts';
import type { Tables } from './schema.ts';

/** Holds the event loop as long: `GroupCommit` does the longer waiting for another process. */
const BUSY_TIMEOUT_MS = 10;

/** Asks for the right to write at once: a transaction that read first could not wait for it (T92). */
const BEGIN = 'begin immediate';

const START_TIMEOUT_MS = 10_000;

const MOST_LOG_TRIES = 100;

/**
 * Opens the file, and makes it if it need not be there. Reads WAL and `synchronous=FULL` back from
 * the connection that is used (T109).
 */
export async function openSqliteDatabase(
  file: string,
  { isThere, isReadOnly, answerWithinMs, failpoint }: OpenSettings,
): Promise<Database> {
  if (!isThere) makeFolder(dirname(file));
  else if (!statSync(file, { throwIfNoEntry: false })) throw new Error('it is not there');
  const connection = new SqliteFile(file, {
    timeout: START_TIMEOUT_MS,
    fileMustExist: isThere,
    readonly: isReadOnly,
  });
  try {
    const db = new Kysely<Tables>({
      dialect: new SqliteDialect({ database: guard(connection, file) }),
    });
    if (isThere) await assertUpToDate(db, 'sqlite');
    if (!isReadOnly) turnOnLog(connection);
    connection.pragma('foreign_keys = ON');
    if (!isThere) await bringUpToDate(db, connection);
    connection.pragma('synchronous = FULL');
    connection.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`);
    if (!isReadOnly) assertDurable(connection);
    const commits = new GroupCommit(db, answerWithinMs, failpoint);
    return { kind: 'sqlite', db, write: (write) => commits.run(write), close: () => db.destroy() };
  } catch (error) {
    connection.close();
    throw error;
  }
}

export function findSqliteCode(error: unknown): string {
  return error instanceof SqliteFile.SqliteError ? error.code : '';
}

/** Makes a folder for this account alone: customers' names and addresses will be in there. */
function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Error(`its folder is not there and cannot be made (${code})`, { cause: error });
  }
}

/**
 * Refuses to run a statement once the file was removed or replaced: SQLite would go on writing where
 * nobody finds it again (T92).
 */
function guard(connection: SqliteFile.Database, file: string): SqliteDatabase {
  const { ino: opened } = statSync(file);
  return {
    prepare(text) {
      // the last word of a transaction decides
      const isWithin = connection.inTransaction && text !== 'commit';
      if (!isWithin && findInode(file) !== opened) {
        throw new SqliteFile.SqliteError(
          'the file was removed or replaced: put it back and start the shop again',
          'SQLITE_IOERR',
        );
      }
      return connection.prepare(text === 'begin' ? BEGIN : text);
    },
    close: () => void connection.close(),
  };
}

function findInode(file: string): number | undefined {
  try {
    return statSync(file, { throwIfNoEntry: false })?.ino;
  } catch (cause) {
    throw new NoAnswerError('the file cannot be looked at', { cause });
  }
}

/**
 * Turns on the write-ahead log. If another process does the same at that moment, SQLite waits only
 * for the write lock, which is asked for in between (T110).
 */
function turnOnLog(connection: SqliteFile.Database): void {
  for (let tries = 1; ; tries++) {
    try {
      connection.pragma('journal_mode = WAL');
      return;
    } catch (error) {
      if ((error as { code?: unknown }).code !== 'SQLITE_BUSY' || tries === MOST_LOG_TRIES)
        throw error;
      connection.exec('begin immediate; rollback');
    }
  }
}

async function bringUpToDate(db: Kysely<Tables>, connection: SqliteFile.Database): Promise<void> {
  connection.exec('begin immediate');
  try {
    await migrate(db, 'sqlite', { disableTransactions: true });
    // fails if the file is read-only, which `begin immediate` does not
    connection.exec('delete from service_pay_payments where false');
    connection.exec('commit');
  } catch (error) {
    connection.exec('rollback');
    throw error;
  }
}

function assertDurable(connection: SqliteFile.Database): void {
  const mode = connection.pragma('journal_mode', { simple: true });
  const synchronous = connection.pragma('synchronous', { simple: true });
  if (mode !== 'wal' || synchronous !== 2) {
    throw new Error(
      'it does not keep a write-ahead log with full synchronisation, so a paid order could be lost with the power',
    );
  }
}
