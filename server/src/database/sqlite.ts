import { existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import SqliteFile from 'better-sqlite3';
import { Kysely, type SqliteDatabase, SqliteDialect, sql } from 'kysely';
import { NoResponseError } from '../support/database-failure.ts';
import type { Database, OpenSettings } from './database.ts';
import { buildGroupCommit, isBusy } from './group-commit.ts';
import { assertUpToDate, inspect, migrate } from './migrations.ts';
import type { Tables } from './schema.ts';

/** Blocks the event loop for this long. `buildGroupCommit` does the longer waiting. */
const BUSY_TIMEOUT_MS = 10;

const START_TIMEOUT_MS = 10_000;

/** The bytes of the file's header that say how it is written and read, and a value for them. */
const MODE_OF_JOURNAL = [18, 20] as const;
const ROLLBACK_JOURNAL = 1;

const MOST_LOG_TRIES = 100;

/**
 * Opens the file, and creates it unless `isThere`. Reads WAL and `synchronous=FULL` back from the
 * connection that is used (T109).
 */
export async function openSqliteDatabase(
  file: string,
  { isThere, mayBeReadOnly, hooks, respondWithinMs, failpoint }: OpenSettings,
): Promise<Database> {
  if (isThere && !existsSync(file)) throw new Error('it is not there');
  // readable by this account only, because it holds customers' names and addresses
  if (!isThere) mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const connection = mayBeReadOnly ? openToRead(file) : openToWrite(file, isThere);
  const isCopy = connection.memory;
  try {
    const db = new Kysely<Tables>({
      dialect: new SqliteDialect({ database: guard(connection, file) }),
    });
    if (isThere) await assertUpToDate(db, 'sqlite');
    else await inspect(db, 'sqlite', hooks);
    if (!isCopy) turnOnLog(connection);
    connection.pragma('foreign_keys = ON');
    connection.pragma('synchronous = FULL');
    if (!isThere) {
      await db.transaction().execute(async (trx) => {
        await migrate(trx, 'sqlite', hooks);
        // fails if the file is read-only, unlike `begin`
        await sql`delete from service_pay_payments where false`.execute(trx);
      });
    }
    connection.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`);
    if (!isCopy) assertDurable(connection);
    const write = buildGroupCommit(db, respondWithinMs, failpoint);
    return { kind: 'sqlite', db, write, close: () => db.destroy() };
  } catch (error) {
    connection.close();
    throw error;
  }
}

function openToWrite(file: string, isThere: boolean): SqliteFile.Database {
  return new SqliteFile(file, { timeout: START_TIMEOUT_MS, fileMustExist: isThere });
}

/**
 * Opens the file, or a copy in memory if SQLite cannot write beside the file, which it does even to
 * read a write-ahead log.
 */
function openToRead(file: string): SqliteFile.Database {
  const connection = openToWrite(file, true);
  try {
    connection.prepare('select 1 from sqlite_master').get();
    return connection;
  } catch (error) {
    connection.close();
    const { code = '' } = error as NodeJS.ErrnoException;
    if (!/^SQLITE_(?:READONLY|CANTOPEN)/.test(code)) throw error;
    if (existsSync(`${file}-wal`) && statSync(`${file}-wal`).size)
      throw new Error(
        `it and its folder take no writes, and its newest records are in ${file}-wal: copy both files to a folder of yours, and add --database file:<copy>`,
      );
    const bytes = readFileSync(file);
    bytes.fill(ROLLBACK_JOURNAL, ...MODE_OF_JOURNAL); // memory has no write-ahead log
    return new SqliteFile(bytes, { readonly: true });
  }
}

/**
 * Fails begin, commit and read after the file was removed or replaced, because SQLite would go on
 * writing to the removed file (T92). Begins with the write lock, because a transaction that has
 * read first cannot wait for it.
 */
function guard(connection: SqliteFile.Database, file: string): SqliteDatabase {
  const { ino: opened } = statSync(file);
  // cached, because preparing for each call took 70 MB more at 1,000 webhooks a second
  const prepared = new Map<string, SqliteFile.Statement>();
  return {
    prepare(text) {
      const isWithin = connection.inTransaction && text !== 'commit';
      if (!isWithin && findInode(file) !== opened)
        throw new NoResponseError(
          'The file was removed or replaced, or cannot be looked at. Put it back and start the shop again.',
        );
      const earlier = prepared.get(text);
      if (earlier) return earlier;
      const statement = connection.prepare(text === 'begin' ? 'begin immediate' : text);
      prepared.set(text, statement);
      return statement;
    },
    close: () => void connection.close(),
  };
}

function findInode(file: string): number | undefined {
  try {
    return statSync(file).ino;
  } catch {
    return undefined;
  }
}

/**
 * Turns on the write-ahead log. Takes the write lock first, because SQLite waits only for that lock
 * if another process does the same at that moment (T110).
 */
function turnOnLog(connection: SqliteFile.Database): void {
  for (let tries = 1; ; tries++) {
    try {
      connection.pragma('journal_mode = WAL');
      return;
    } catch (error) {
      if (!isBusy(error) || tries === MOST_LOG_TRIES) throw error;
      connection.exec('begin immediate; rollback');
    }
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
