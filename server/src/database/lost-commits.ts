import type { PostgresPool, PostgresPoolClient } from 'kysely';
import pg from 'pg';
import { pause, realClock } from '../support/clock.ts';
import { isServerError, NoResponseError } from '../support/database-failure.ts';
import { NO_CONNECTION } from './connection-lanes.ts';

/** The pause before the outcome of a commit is queried again. */
const ASK_AGAIN_MS = 20;

/**
 * The server's limit for a statement, and for an idle transaction of an instance that froze (T111).
 * It is longer than any client timeout here, because a commit whose wait for a standby is cancelled
 * counts as done.
 */
export const SERVER_LIMIT_MS = 2_000;

const BIGINT = 20;

export const COUNTS_AS_NUMBERS = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    oid === BIGINT && format !== 'binary' ? Number : pg.types.getTypeParser(oid, format as 'text'),
};

const READ_ONLY = '25006';

const ignore = () => {};

export interface Limits {
  connectMs: number;
  respondMs: number;
  lockMs: number;
  statementMs: number;
}

/** Waits for this many milliseconds at most for a turn, and returns how to end it. */
export type Enter = (withinMs: number) => Promise<() => void>;

/**
 * Wraps the pool for Kysely. Closes a connection after a timeout, because the late response would
 * be read as the next one, and after its server became read-only. If the response to a commit is
 * lost, queries the outcome of the transaction for as long as a write may take (T113).
 */
export function resolveLostCommits(
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
