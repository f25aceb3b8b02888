import { Kysely, PostgresDialect, type PostgresPool, type PostgresPoolClient, sql } from 'kysely';
import pg from 'pg';

import { realClock } from '../support/clock.ts';
import type { Failpoint } from '../support/failpoint.ts';
import { assertUpToDate, migrate } from './migrations.ts';
import { NoAnswerError } from './no-answer-error.ts';
import type { Database, OpenSettings, Write } from './open.ts';
import type { Tables } from './schema.ts';

const MOST_CONNECTIONS = 10;

const MOST_TRIES = 3;

/**
 * The server's limits: on a statement, longer than anybody here waits, since a commit whose wait for
 * a standby is ended counts as done; and on a transaction of an instance that froze (T111).
 */
const SERVER_LIMIT_MS = 2_000;

const START_TIMEOUT_MS = 10_000;

const STEP_TIMEOUT_MS = 30 * 60_000;

const MIGRATION_LOCK = 7_203_114_559_018;

const OLDEST_VERSION = 140_000;

const BIGINT = 20;

export const COUNTS_AS_NUMBERS = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    oid === BIGINT && format !== 'binary' ? Number : pg.types.getTypeParser(oid, format as 'text'),
};

/** Parts of an address about TLS, and about limits, which would win over ours (T110). */
const OURS_TO_SET =
  /(?<=\?(?:.*&)?)(?:ssl[a-z]*|(?:query|lock|statement|idle_in_transaction_session)_timeout)=[^&#]*/g;

const READ_ONLY = '25006';

/** A statement has waited in vain for rows that somebody else holds: the same again may work. */
const LOCK_CONFLICT = /^(?:40001|40P01|55P03)$/;

/**
 * A statement sees what was committed while it waited for a row, and a commit waits for the disk.
 */
const ON_CONNECT = `set default_transaction_isolation = 'read committed';
  select set_config('synchronous_commit', 'on', false) where current_setting('synchronous_commit') = 'off'`;

/**
 * Opens the database, with limits on everything that could wait. Refuses a server that would lose
 * commits with its power (T109).
 */
export async function openPostgresDatabase(
  place: string | pg.Pool,
  { isThere, answerWithinMs, failpoint }: OpenSettings,
): Promise<Database> {
  const connection = typeof place === 'string' ? connectionTo(place) : connectionOf(place);
  await bringUpToDate(connection, isThere);
  const pool = new pg.Pool({
    ...connection,
    max: MOST_CONNECTIONS,
    connectionTimeoutMillis: 2 * answerWithinMs,
    query_timeout: answerWithinMs,
    lock_timeout: answerWithinMs / 2,
    statement_timeout: Math.max(SERVER_LIMIT_MS, 2 * answerWithinMs),
    idle_in_transaction_session_timeout: SERVER_LIMIT_MS,
    onConnect: async (client) => void (await client.query(ON_CONNECT)),
  });
  pool.on('connect', (client) => client.on('error', () => {})); // told by its next statement
  pool.on('error', () => {}); // an idle connection that was lost is replaced when one is needed
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: tellLost(pool) }) });
  return {
    kind: 'postgres',
    db,
    pool,
    write: (write) => runWrite(db, write, answerWithinMs, failpoint),
    close: () => db.destroy(),
  };
}

async function runWrite<Result>(
  db: Kysely<Tables>,
  write: Write<Result>,
  answerWithinMs: number,
  failpoint: Failpoint,
): Promise<Result> {
  const giveUpAt = realClock.now() + answerWithinMs;
  let mayBeDone = false;
  for (let tries = 1; ; tries++) {
    let isCommitting = false;
    try {
      const result = await db.transaction().execute(async (trx) => {
        const result = await write(trx, mayBeDone);
        await failpoint('before-commit');
        isCommitting = true;
        return result;
      });
      await failpoint('after-commit');
      return result;
    } catch (error) {
      const isLost = error instanceof NoAnswerError;
      if (!(isLost || LOCK_CONFLICT.test(findPostgresState(error)))) throw error;
      if (tries === MOST_TRIES || realClock.now() >= giveUpAt) throw error;
      mayBeDone ||= isLost && isCommitting;
    }
  }
}

export function findPostgresState(error: unknown): string {
  return (error instanceof pg.DatabaseError && error.code) || '';
}

type Tls = Pick<pg.PoolConfig, 'ssl'> & {
  sslNegotiation: NonNullable<pg.PoolConfig['sslnegotiation']>;
};

/** Reads certificates once: `pg` would read them for each connection, and throw if it cannot. */
function connectionTo(databaseUrl: string): pg.PoolConfig {
  const { ssl, sslNegotiation } = new pg.Client({
    connectionString: databaseUrl,
  }) as unknown as Tls;
  return {
    connectionString: databaseUrl.replace(OURS_TO_SET, ''),
    ssl,
    sslnegotiation: sslNegotiation,
    ...OWN,
  };
}

const OWN = { application_name: 'service-pay-shop', keepAlive: true, types: COUNTS_AS_NUMBERS };

/** Connects as a pool of the application does, which hides two of its options from a copy. */
function connectionOf({ options }: pg.Pool): pg.PoolConfig {
  const { password, ssl } = options;
  return {
    ...options,
    ...(password !== undefined && { password }),
    ...(ssl !== undefined && { ssl }),
    ...OWN,
  };
}

async function bringUpToDate(connection: pg.PoolConfig, isThere: boolean): Promise<void> {
  const pool = new pg.Pool({
    ...connection,
    connectionTimeoutMillis: START_TIMEOUT_MS,
    lock_timeout: START_TIMEOUT_MS,
    statement_timeout: STEP_TIMEOUT_MS,
    query_timeout: STEP_TIMEOUT_MS,
    max: 1,
  });
  pool.on('error', () => {});
  const db = new Kysely<Tables>({ dialect: new LockedDialect({ pool }) });
  try {
    await assertDurable(db);
    if (isThere) await assertUpToDate(db, 'postgres');
    else {
      // read committed, to see what the holder of the lock did
      await db
        .transaction()
        .setIsolationLevel('read committed')
        .execute(async (trx) => {
          await sql`select pg_advisory_xact_lock(${MIGRATION_LOCK})`.execute(trx);
          await migrate(trx, 'postgres');
        });
    }
  } finally {
    await db.destroy();
  }
}

/** Migrates under our lock: Kysely's own has each step wait an hour for tables in use. */
class LockedDialect extends PostgresDialect {
  override createAdapter() {
    const noLock = { acquireMigrationLock: async () => {}, releaseMigrationLock: async () => {} };
    return Object.assign(super.createAdapter(), noLock);
  }
}

async function assertDurable(db: Kysely<Tables>): Promise<void> {
  const setting = (name: string) => sql`current_setting(${name})`;
  const { rows } = await sql<Record<string, string>>`select
    ${setting('server_version_num')} as version, ${setting('server_encoding')} as encoding,
    ${setting('fsync')} as fsync, ${setting('full_page_writes')} as full_page_writes,
    case when pg_is_in_recovery() then 'on' else ${setting('transaction_read_only')} end as read_only`.execute(
    db,
  );
  const { version, encoding, fsync, full_page_writes, read_only } = rows[0]!;
  const problems = [
    Number(version) < OLDEST_VERSION && 'the server must be PostgreSQL 14 or later',
    read_only === 'on' &&
      'it takes no writes: name the primary and not a standby, and a user whose transactions may write',
    fsync !== 'on' && 'fsync must be on, or a paid order could be lost with the power',
    full_page_writes !== 'on' && 'full_page_writes must be on, or a loss of power could damage it',
    encoding !== 'UTF8' && 'the database must be made with encoding UTF8',
  ].filter((problem) => problem !== false);
  if (problems.length) throw new Error(problems.join('; '));
}

/**
 * Wraps the pool for Kysely. Without an answer of the server a query fails with `NoAnswerError`, and
 * its connection is closed, since the answer may still come; so is one to a read-only server.
 */
function tellLost(pool: pg.Pool): PostgresPool {
  return {
    options: pool.options,
    end: () => pool.end(),
    async connect(): Promise<PostgresPoolClient> {
      // async, since `connect` may throw at once
      const client = await (async () => pool.connect())().catch((cause: unknown) => {
        throw new NoAnswerError('no connection', { cause });
      });
      let lost: NoAnswerError | undefined;
      let isReadOnly = false;
      const query = async (text: string, values: unknown[]) => {
        if (lost) throw lost;
        try {
          return await client.query(text, values);
        } catch (cause) {
          if (cause instanceof pg.DatabaseError) {
            isReadOnly ||= cause.code === READ_ONLY;
            throw cause;
          }
          lost = new NoAnswerError('the connection was lost, or the answer took too long', {
            cause,
          });
          throw lost;
        }
      };
      return {
        query: query as unknown as PostgresPoolClient['query'],
        release: (destroy) => client.release(destroy || isReadOnly || lost !== undefined),
      };
    },
  };
}
