import { Kysely, PostgresDialect, sql } from 'kysely';
import pg from 'pg';
import { parseIntoClientConfig } from 'pg-connection-string';
import { NoResponseError } from '../support/database-failure.ts';
import type { Failpoint } from '../support/failpoint.ts';
import { ConnectionLanes, type Lane } from './connection-lanes.ts';
import type { Connection, Database, OpenHooks, OpenSettings, Write } from './database.ts';
import { adviseOnSchema } from './environment-advice.ts';
import { type Enter, type Limits, resolveLostCommits, SERVER_LIMIT_MS } from './lost-commits.ts';
import { assertUpToDate, inspect, migrate } from './migrations.ts';
import { findNamedSchema, hasSeveralHosts } from './postgres-url.ts';
import type { Tables } from './schema.ts';

const MOST_CONNECTIONS = 10;

const START_TIMEOUT_MS = 10_000;

const STEP_TIMEOUT_MS = 30 * 60_000;

const ONE_HOST =
  'The package connects to one. Name the one host that leads to the primary, also after a failover: the address for writing of a hosted database, or a proxy of your own.';

const START_LIMITS: Limits = {
  connectMs: START_TIMEOUT_MS,
  respondMs: STEP_TIMEOUT_MS,
  lockMs: START_TIMEOUT_MS,
  statementMs: STEP_TIMEOUT_MS,
};

/**
 * Opens the database, with a timeout on everything that could wait. Rejects a server that would
 * lose commits in a power cut (T109). Keeps no state in a session, because a pooler may give each
 * transaction another one. Uses an application's pool as it is, and leaves it open.
 */
export async function openPostgresDatabase(
  place: string | pg.Pool,
  {
    isThere,
    mayBeReadOnly,
    hooks,
    respondWithinMs,
    failpoint,
    maxConnections = MOST_CONNECTIONS,
  }: OpenSettings,
): Promise<Database> {
  const isOwn = typeof place === 'string';
  if (hasSeveralHosts(addressOf(place)))
    throw Object.assign(new Error('its address names several hosts'), { advice: ONE_HOST });
  const options = isOwn ? readAddress(place) : {};
  const starting = { ...options, max: 1, connectionTimeoutMillis: START_TIMEOUT_MS };
  const first = isOwn ? new pg.Pool(starting) : place;
  await bringUpToDate(first, place, mayBeReadOnly, isThere ? undefined : hooks);
  const connectMs = 2 * respondWithinMs;
  const pool = isOwn
    ? new pg.Pool({ ...options, max: maxConnections, connectionTimeoutMillis: connectMs })
    : place;
  const limits = {
    connectMs,
    respondMs: respondWithinMs,
    lockMs: 0.8 * respondWithinMs, // so that the server responds first
    statementMs: Math.max(SERVER_LIMIT_MS, 2 * respondWithinMs),
  };
  const lanes = new ConnectionLanes(pool.options.max);
  const connectionOf = (lane: Lane): Connection => {
    const db = connect(pool, isOwn, limits, (ms) => lanes.enter(lane, ms));
    return { db, write: (write) => runWrite(db, write, failpoint) };
  };
  const other = connectionOf('other');
  return {
    kind: 'postgres',
    ...other,
    pool,
    password: new pg.Client(pool.options).password,
    ahead: { leases: connectionOf('leases'), results: connectionOf('results') },
    close: () => other.db.destroy(),
  };
}

function addressOf(place: string | pg.Pool): string {
  return typeof place === 'string' ? place : (place.options.connectionString ?? '');
}

/**
 * Returns the connection options of an address. Reads it and its certificate files once, because
 * `pg` would read them for each connection and let the address override our limits (T110).
 */
function readAddress(connectionString: string): pg.PoolConfig {
  const options = parseIntoClientConfig(connectionString);
  return { ...options, application_name: 'service-pay-shop', keepAlive: true };
}

function connect(pool: pg.Pool, isOwn: boolean, limits: Limits, enter?: Enter): Kysely<Tables> {
  if (!pool.listenerCount('error')) pool.on('error', () => {}); // a lost connection is replaced
  const end = async () => void (isOwn && (await pool.end()));
  return new Kysely<Tables>({
    dialect: new PostgresDialect({ pool: { ...resolveLostCommits(pool, limits, enter), end } }),
  });
}

/** Without hooks, only asserts that the schema is up to date. */
async function bringUpToDate(
  pool: pg.Pool,
  place: string | pg.Pool,
  mayBeReadOnly: boolean,
  hooks?: OpenHooks,
): Promise<void> {
  const isOwn = pool !== place;
  const reading = connect(pool, isOwn, { ...START_LIMITS, respondMs: START_TIMEOUT_MS });
  const changing = connect(pool, false, START_LIMITS);
  try {
    await assertDurable(reading, mayBeReadOnly);
    await assertSchema(reading, place);
    if (!hooks) return await assertUpToDate(reading, 'postgres');
    await inspect(reading, 'postgres', hooks);
    await changing.transaction().execute((trx) => migrate(trx, 'postgres', hooks));
  } catch (error) {
    throw error instanceof NoResponseError ? error.cause : error; // which says what to do
  } finally {
    await reading.destroy();
  }
}

/** Rejects an address with the name of a schema, which `pg` would ignore (T114). */
async function assertSchema(db: Kysely<Tables>, place: string | pg.Pool): Promise<void> {
  const named = findNamedSchema(addressOf(place));
  if (!named) return;
  const { name, schema } = named;
  const { rows } = await sql<{ current: string | null }>`
    select current_schema() as current`.execute(db);
  const { current } = rows[0]!;
  if (current === schema) return;
  const why = `its address has ${name}=${schema}, which PostgreSQL does not read: the tables would be in the schema ${current}`;
  const advice = `If they are to be in ${schema}, ${adviseOnSchema(place, schema)}.`;
  throw Object.assign(new Error(why), { advice });
}

async function assertDurable(db: Kysely<Tables>, mayBeReadOnly: boolean): Promise<void> {
  const { rows } = await sql<{ problem: string }>`
    select problem from (values
      (current_setting('server_version_num')::int < 140000,
        'the server must be PostgreSQL 14 or later'),
      (not ${mayBeReadOnly}::boolean
          and (pg_is_in_recovery() or current_setting('transaction_read_only') = 'on'),
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
