import { Kysely, PostgresDialect, type PostgresPool, type PostgresPoolClient, sql } from 'kysely';
import pg from 'pg';
import { parseIntoClientConfig } from 'pg-connection-string';

import { pause, realClock } from '../support/clock.ts';
import { NoAnswerError } from '../support/database-failure.ts';
import type { Failpoint } from '../support/failpoint.ts';
import type { Database, OpenSettings, Write } from './database.ts';
import { assertUpToDate, migrate } from './migrations.ts';
import type { Tables } from './schema.ts';

const MOST_CONNECTIONS = 10;

/** The pause before the outcome of a commit is queried again. */
const ASK_AGAIN_MS = 20;

/**
 * The server's limit for a statement, and for an idle transaction of an instance that froze (T111).
 * It is longer than any client timeout here, because a commit whose wait for a standby is cancelled
 * counts as done.
 */
const SERVER_LIMIT_MS = 2_000;

const START_TIMEOUT_MS = 10_000;

const STEP_TIMEOUT_MS = 30 * 60_000;

const MIGRATION_LOCK = 7_203_114_559_018;

const BIGINT = 20;

export const COUNTS_AS_NUMBERS = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    oid === BIGINT && format !== 'binary' ? Number : pg.types.getTypeParser(oid, format as 'text'),
};

const READ_ONLY = '25006';

/**
 * Lets a statement see what was committed while it waited for a row, and a commit wait for the
 * disk.
 */
const ON_CONNECT = `set default_transaction_isolation = 'read committed';
  select set_config('synchronous_commit', 'on', false) where current_setting('synchronous_commit') = 'off'`;

/**
 * Opens the database, with a timeout on everything that could wait. Rejects a server that would
 * lose commits in a power cut (T109).
 */
export async function openPostgresDatabase(
  place: string | pg.Pool,
  { isThere, answerWithinMs, failpoint, maxConnections = MOST_CONNECTIONS }: OpenSettings,
): Promise<Database> {
  const connection = connectionTo(place);
  await bringUpToDate(connection, isThere);
  const pool = buildPool({
    ...connection,
    max: maxConnections,
    connectionTimeoutMillis: 2 * answerWithinMs,
    query_timeout: answerWithinMs,
    lock_timeout: 0.8 * answerWithinMs, // so that the server responds first
    statement_timeout: Math.max(SERVER_LIMIT_MS, 2 * answerWithinMs),
    idle_in_transaction_session_timeout: SERVER_LIMIT_MS,
  });
  const db = new Kysely<Tables>({
    dialect: new PostgresDialect({ pool: resolveLostCommits(pool, answerWithinMs) }),
  });
  return {
    kind: 'postgres',
    db,
    pool,
    write: (write) => runWrite(db, write, failpoint),
    close: () => db.destroy(),
  };
}

/**
 * Returns the connection options of an address, or of the application's pool. Reads an address and
 * its certificate files once, because `pg` would read them for each connection and let the address
 * override our limits (T110).
 */
function connectionTo(place: string | pg.Pool): pg.PoolConfig {
  // two options of a pool are not enumerable
  const { connectionString, ...options }: pg.PoolConfig =
    typeof place === 'string'
      ? { connectionString: place }
      : { ...place.options, password: place.options.password, ssl: place.options.ssl };
  return {
    ...options,
    ...(connectionString && parseIntoClientConfig(connectionString)),
    application_name: 'service-pay-shop',
    keepAlive: true,
    types: COUNTS_AS_NUMBERS,
    onConnect: async (client) => void (await client.query(ON_CONNECT)),
  };
}

function buildPool(config: pg.PoolConfig): pg.Pool {
  const pool = new pg.Pool(config);
  pool.on('connect', (client) => client.on('error', () => {})); // its next statement fails
  pool.on('error', () => {}); // a lost idle connection is replaced on demand
  return pool;
}

async function bringUpToDate(connection: pg.PoolConfig, isThere: boolean): Promise<void> {
  const pool = buildPool({
    ...connection,
    connectionTimeoutMillis: START_TIMEOUT_MS,
    lock_timeout: START_TIMEOUT_MS,
    statement_timeout: STEP_TIMEOUT_MS,
    query_timeout: STEP_TIMEOUT_MS,
    max: 1,
  });
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
  try {
    await assertDurable(db);
    if (isThere) return await assertUpToDate(db, 'postgres');
    await db.transaction().execute(async (trx) => {
      await sql`select pg_advisory_xact_lock(${MIGRATION_LOCK})`.execute(trx);
      await migrate(trx, 'postgres');
    });
  } finally {
    await db.destroy();
  }
}

async function assertDurable(db: Kysely<Tables>): Promise<void> {
  const { rows } = await sql<{ problem: string }>`
    select problem from (values
      (current_setting('server_version_num')::int < 140000,
        'the server must be PostgreSQL 14 or later'),
      (pg_is_in_recovery() or current_setting('transaction_read_only') = 'on',
        'it takes no writes: name the primary and not a standby, and a user whose transactions may write'),
      (current_setting('fsync') = 'off',
        'fsync must be on, or a paid order could be lost with the power'),
      (current_setting('full_page_writes') = 'off',
        'full_page_writes must be on, or a loss of power could damage it'),
      (current_setting('server_encoding') <> 'UTF8',
        'the database must be made with encoding UTF8')
    ) as checks (fails, problem) where fails`.execute(db);
  if (rows.length) throw new Error(rows.map(({ problem }) => problem).join('; '));
}

async function runWrite<Result>(
  db: Kysely<Tables>,
  write: Write<Result>,
  failpoint: Failpoint,
): Promise<Result> {
  const result = await db.transaction().execute(async (trx) => {
    const result = await write(trx);
    await failpoint('before-commit');
    return result;
  });
  await failpoint('after-commit');
  return result;
}

/** One message, so that the transaction id costs no extra round trip. */
const BEGIN = 'begin; select pg_current_xact_id()::text as id';

/**
 * Wraps the pool for Kysely. Closes a connection after a timeout, because the late response would
 * be read as the next one, and after its server became read-only. If the response to a commit is
 * lost, queries the outcome of the transaction for as long as a write may take (T113).
 */
function resolveLostCommits(pool: pg.Pool, answerWithinMs: number): PostgresPool {
  return {
    options: pool.options,
    end: () => pool.end(),
    async connect(): Promise<PostgresPoolClient> {
      const giveUpAt = realClock.now() + answerWithinMs;
      const client = await orNoAnswer(() => pool.connect());
      let failure: unknown;
      let id = '';
      const send = async (text: string, values?: unknown[]): Promise<pg.QueryResult> => {
        if (failure) throw failure;
        return orNoAnswer(() => client.query(text, values)).catch((error) => {
          if (error instanceof NoAnswerError || error.code === READ_ONLY) failure = error;
          throw error;
        });
      };
      const begin = async () => {
        const results = await send(BEGIN).catch((error) => {
          failure = error; // a transaction may have begun
          throw error;
        });
        const [begun, transaction] = results as unknown as pg.QueryResult[];
        id = transaction!.rows[0].id;
        return begun;
      };
      const commit = () =>
        send('commit').catch(async (error) => {
          const isLost = error instanceof NoAnswerError;
          if (isLost && (await isCommitted(pool, id, giveUpAt))) return { command: 'COMMIT' };
          throw error;
        });
      const query = (text: string, values: unknown[]) =>
        text === 'begin' ? begin() : text === 'commit' ? commit() : send(text, values);
      return {
        query: query as unknown as PostgresPoolClient['query'],
        release: (destroy) => client.release(destroy || failure !== undefined),
      };
    },
  };
}

async function isCommitted(pool: pg.Pool, id: string, giveUpAt: number): Promise<boolean> {
  while (realClock.now() < giveUpAt) {
    const answer = await pool
      .query('select pg_xact_status($1::xid8) as status', [id])
      .catch(() => undefined);
    const status = answer?.rows[0]?.status;
    if (status === 'committed' || status === 'aborted') return status === 'committed';
    await pause(realClock, ASK_AGAIN_MS);
  }
  return false;
}

async function orNoAnswer<Result>(call: () => Promise<Result>): Promise<Result> {
  try {
    return await call();
  } catch (cause) {
    if (cause instanceof pg.DatabaseError) throw cause;
    throw new NoAnswerError('the connection was lost, or the response took too long', { cause });
  }
}
