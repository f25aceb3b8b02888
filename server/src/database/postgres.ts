import { Kysely, PostgresDialect, type PostgresPool, type PostgresPoolClient, sql } from 'kysely';
import pg from 'pg';
import { parseIntoClientConfig } from 'pg-connection-string';
import { pause, realClock } from '../support/clock.ts';
import { isServerError, NoResponseError } from '../support/database-failure.ts';
import type { Failpoint } from '../support/failpoint.ts';
import { ConnectionLanes, type Lane, NO_CONNECTION } from './connection-lanes.ts';
import type { Access, Database, OpenHooks, OpenSettings, Write } from './database.ts';
import { adviseOnSchema } from './environment-advice.ts';
import { assertUpToDate, inspect, migrate } from './migrations.ts';
import { findNamedSchema, hasSeveralHosts } from './postgres-url.ts';
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

const BIGINT = 20;

export const COUNTS_AS_NUMBERS = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    oid === BIGINT && format !== 'binary' ? Number : pg.types.getTypeParser(oid, format as 'text'),
};

const READ_ONLY = '25006';

const ONE_HOST =
  'The package connects to one. Name the one host that leads to the primary, also after a failover: the address for writing of a hosted database, or a proxy of your own.';

interface Limits {
  connectMs: number;
  respondMs: number;
  lockMs: number;
  statementMs: number;
}

/** Waits for this many milliseconds at most for a turn, and returns how to end it. */
type Enter = (withinMs: number) => Promise<() => void>;

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
  const access = (lane: Lane): Access => {
    const db = connect(pool, isOwn, limits, (ms) => lanes.enter(lane, ms));
    return { db, write: (write) => runWrite(db, write, failpoint) };
  };
  const intake = access('intake');
  return {
    kind: 'postgres',
    ...intake,
    pool,
    password: new pg.Client(pool.options).password,
    ahead: { leases: access('leases'), results: access('results') },
    close: () => intake.db.destroy(),
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

/**
 * One message, so that it costs no extra round trip. Lets a statement see what was committed while
 * it waited for a row, and a commit wait for the disk, whatever the database's own settings are.
 */
function textOfBegin({ lockMs, statementMs }: Limits): string {
  return `begin isolation level read committed;
    select pg_current_xact_id()::text as id,
      set_config('lock_timeout', '${lockMs}', true),
      set_config('statement_timeout', '${statementMs}', true),
      set_config('idle_in_transaction_session_timeout', '${SERVER_LIMIT_MS}', true),
      set_config('synchronous_commit', coalesce(
        nullif(current_setting('synchronous_commit'), 'off'), 'on'), true)`;
}

/**
 * Wraps the pool for Kysely. Closes a connection after a timeout, because the late response would
 * be read as the next one, and after its server became read-only. If the response to a commit is
 * lost, queries the outcome of the transaction for as long as a write may take (T113).
 */
function resolveLostCommits(
  pool: pg.Pool,
  limits: Limits,
  enter: Enter = async () => () => {},
): Pick<PostgresPool, 'options' | 'connect'> {
  const { respondMs, connectMs } = limits;
  const beginText = textOfBegin(limits);
  return {
    options: pool.options,
    async connect(): Promise<PostgresPoolClient> {
      const giveUpAt = realClock.now() + respondMs;
      const { client, leave } = await orNoResponse(() => takeClient(pool, connectMs, enter));
      let failure: unknown;
      let isReleased = false;
      let id = '';
      const giveBackOnce = (destroy?: boolean) => {
        if (isReleased) return;
        isReleased = true;
        giveBack(client, destroy || failure !== undefined);
      };
      const release = (destroy?: boolean) => {
        giveBackOnce(destroy);
        leave();
      };
      const send = async (text: string, values?: unknown[]): Promise<pg.QueryResult> => {
        if (failure) throw failure;
        const query = { text, values, types: COUNTS_AS_NUMBERS, query_timeout: respondMs };
        return orNoResponse(() => client.query(query as pg.QueryConfig)).catch((error) => {
          if (error instanceof NoResponseError || error.code === READ_ONLY) failure = error;
          throw error;
        });
      };
      const begin = async () => {
        const results = await send(beginText).catch((error) => {
          failure = error; // a transaction may have begun
          throw error;
        });
        const [begun, transaction] = results as unknown as pg.QueryResult[];
        id = transaction!.rows[0].id;
        return begun;
      };
      const commit = () =>
        send('commit').catch(async (error) => {
          if (!(error instanceof NoResponseError)) throw error;
          giveBackOnce(); // it may be the only connection
          if (await isCommitted(pool, id, giveUpAt)) return { command: 'COMMIT' };
          throw error;
        });
      const query = (text: string, values: unknown[]) =>
        text === 'begin' ? begin() : text === 'commit' ? commit() : send(text, values);
      return { query: query as unknown as PostgresPoolClient['query'], release };
    },
  };
}

const ignore = () => {};

/** Takes a connection when it is its turn, or fails after `ms`. */
async function takeClient(
  pool: pg.Pool,
  ms: number,
  enter: Enter,
): Promise<{ client: pg.PoolClient; leave: () => void }> {
  const giveUpAt = realClock.now() + ms;
  const leave = await enter(ms);
  try {
    return { client: await connectBefore(pool, giveUpAt), leave };
  } catch (error) {
    leave();
    throw error;
  }
}

/** Fails after `giveUpAt`, also if the application's pool would wait longer. */
async function connectBefore(pool: pg.Pool, giveUpAt: number): Promise<pg.PoolClient> {
  const taking = new Promise<pg.PoolClient>((resolve, reject) => {
    // By a callback: the server may end a connection in the very packet that opens it.
    pool.connect((error, client) => {
      if (!client) return reject(error);
      client.on('error', ignore); // its next statement fails
      resolve(client);
    });
  });
  const tooLate = Promise.withResolvers<never>();
  const cancel = realClock.after(Math.max(0, giveUpAt - realClock.now()), () => {
    taking.then((client) => giveBack(client), ignore);
    tooLate.reject(new Error(NO_CONNECTION));
  });
  return Promise.race([taking, tooLate.promise]).finally(cancel);
}

function giveBack(client: pg.PoolClient, destroy?: boolean): void {
  client.off('error', ignore);
  client.release(destroy);
}

async function isCommitted(pool: pg.Pool, id: string, giveUpAt: number): Promise<boolean> {
  const text = 'select pg_xact_status($1::xid8) as status';
  while (realClock.now() < giveUpAt) {
    const query_timeout = giveUpAt - realClock.now();
    const query = { text, values: [id], query_timeout };
    const response = await pool.query(query as pg.QueryConfig).catch(() => undefined);
    const status = response?.rows[0]?.status;
    if (status === 'committed' || status === 'aborted') return status === 'committed';
    await pause(realClock, ASK_AGAIN_MS);
  }
  return false;
}

async function orNoResponse<Result>(call: () => Promise<Result>): Promise<Result> {
  try {
    return await call();
  } catch (cause) {
    if (isServerError(cause)) throw cause;
    throw new NoResponseError('the connection was lost, or the response took too long', { cause });
  }
}
