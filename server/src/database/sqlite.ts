import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import SqliteFile from 'better-sqlite3';
import { Kysely, type SqliteDatabase, SqliteDialect, type SqliteStatement, sql } from 'kysely';
import { GroupCommit } from './group-commit.ts';
import { assertUpToDate, migrate } from './migrations.ts';
import { NoAnswerError } from './no-answer-error.ts';
import type { Database, OpenSettings } from './open.ts';
import type { Tables } from './schema.ts';

/**
 * The longest a statement waits for another process. It holds the event loop as long: `GroupCommit`
 * does the longer waiting.
 */
const BUSY_TIMEOUT_MS = 10;

/**
 * Pages of the file that the shop holds itself: the machine holds the others, and gives them nearly
 * as fast.
 */
const CACHE_KB = 2_000;

/**
 * A transaction of the shop's writes, and asks for the right to write at once: one that read first
 * could not wait for it (T92).
 */
const BEGIN = 'begin immediate';

/**
 * Changes no byte, and fails where the file may only be read: `begin immediate` then begins a
 * transaction that reads.
 */
const A_WRITE_OF_NOTHING = 'delete from service_pay_payments where false';

/**
 * How long a start waits for another process that brings the schema up to date. Nothing is served
 * before.
 */
const START_TIMEOUT_MS = 10_000;

/** Statements kept prepared: the shop has about fifty, and lists of many lengths. */
const MOST_PREPARED = 200;

/** How often the write-ahead log is asked for, each time after another process has written. */
const MOST_LOG_TRIES = 100;

/**
 * Opens the file, making it where there is none. WAL and `synchronous=FULL` are read back from the
 * connection that is used (T109). Where it must be there, its tables are left as they are.
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
    connection.pragma(`cache_size = -${CACHE_KB}`);
    if (!isReadOnly) await assertDurable(db);
    const commits = new GroupCommit(db, answerWithinMs, failpoint);
    return {
      kind: 'sqlite',
      db,
      write: (write) => commits.run(write),
      close: () => db.destroy(),
    };
  } catch (error) {
    connection.close();
    throw error;
  }
}

/** The code of an error of SQLite, else nothing. */
export function findSqliteCode(error: unknown): string {
  return error instanceof SqliteFile.SqliteError ? error.code : '';
}

/**
 * Makes a folder and those above it, one by one: `recursive` of Node 24 never comes back from where
 * none can be made and no right is missing, such as `/proc`. They are for this account alone: names
 * and addresses of customers will be in there.
 */
function makeFolder(folder: string): void {
  if (existsSync(folder) || dirname(folder) === folder) return;
  makeFolder(dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EEXIST')
      // another process may have made it
      throw new Error(`its folder is not there and cannot be made (${code})`, { cause: error });
  }
}

/**
 * A connection that keeps what it has prepared, which takes longer than to run it. Refuses to run
 * any statement once the file was removed or replaced: SQLite would go on writing where nobody finds
 * it again (T92).
 */
function guard(connection: SqliteFile.Database, file: string): SqliteDatabase {
  const prepared = new Map<string, SqliteStatement>();
  const { ino: opened } = statSync(file);
  return {
    prepare(text) {
      // of a transaction the last word decides
      const isWithin = connection.inTransaction && text !== 'commit';
      if (!isWithin && findInode(file) !== opened) {
        throw new SqliteFile.SqliteError(
          'the file was removed or replaced: put it back and start the shop again',
          'SQLITE_IOERR',
        );
      }
      const statement = prepared.get(text) ?? connection.prepare(text === 'begin' ? BEGIN : text);
      if (prepared.size >= MOST_PREPARED) prepared.clear();
      prepared.set(text, statement);
      return statement;
    },
    close: () => void connection.close(),
  };
}

/**
 * Which file is there, if any. Throws `NoAnswerError` where that cannot be found out, as on a
 * network that is away for a moment.
 */
function findInode(file: string): number | undefined {
  try {
    return statSync(file, { throwIfNoEntry: false })?.ino;
  } catch (cause) {
    throw new NoAnswerError('the file cannot be looked at', { cause });
  }
}

/**
 * Turns on the write-ahead log. SQLite does not wait here for another process that does the same at
 * that moment, but does so for the write lock, which is asked for in between (T110).
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

/** One process at a time: who comes second finds it done (T110). */
async function bringUpToDate(db: Kysely<Tables>, connection: SqliteFile.Database): Promise<void> {
  connection.exec('begin immediate');
  try {
    await migrate(db, 'sqlite', { disableTransactions: true });
    connection.exec(A_WRITE_OF_NOTHING);
    connection.exec('commit');
  } catch (error) {
    connection.exec('rollback');
    throw error;
  }
}

async function assertDurable(db: Kysely<Tables>): Promise<void> {
  const mode = await sql<{ journal_mode: string }>`pragma journal_mode`.execute(db);
  const synchronous = await sql<{ synchronous: number }>`pragma synchronous`.execute(db);
  if (mode.rows[0]?.journal_mode !== 'wal' || synchronous.rows[0]?.synchronous !== 2) {
    throw new Error(
      'it does not keep a write-ahead log with full synchronisation, so a paid order could be lost with the power',
    );
  }
}
