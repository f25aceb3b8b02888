import { Kysely, PostgresDialect, type PostgresPoolClient, type RawBuilder, sql } from 'kysely';

import type { Database, Writer } from './database/database.ts';
import type { Tables } from './database/schema.ts';
import { invalidRequest, PaymentsError } from './errors.ts';
import { isDatabaseFailure } from './support/database-failure.ts';

/**
 * An open transaction of the application on the shop's database: Kysely's own or, on PostgreSQL, a
 * client of `pg` after BEGIN, or an object that runs statements in a transaction.
 */
export type Transaction = { readonly isTransaction: true } | PostgresTransaction;

/**
 * Runs a statement with the values of `$1`, `$2` and so on, and resolves to its rows, like `pg`.
 */
export interface PostgresTransaction {
  query(text: string, values: unknown[]): Promise<{ rows: unknown[]; rowCount: number | null }>;
}

const USABLE = {
  sqlite:
    "must be an open transaction of Kysely on the shop's file: what db.transaction().execute() passes to its function.",
  postgres:
    "must be an open transaction on the shop's database: Kysely's, a client of pg after BEGIN, or an object whose query(text, values) resolves to { rows, rowCount }.",
};

const ADAPTERS = 'https://github.com/service-pay/service-pay/blob/main/docs/orms.md';

/** Advice for objects that are often passed by mistake, recognised by their fields. */
const ADVICE: [isIt: (given: Record<string, unknown>) => unknown, advice: string][] = [
  [
    (given) => given.getExecutor && !given.isTransaction,
    'This is a whole Kysely: pass what db.transaction().execute() passes to its function.',
  ],
  [
    (given) => given.totalCount !== undefined,
    'This is a pool: take a client with pool.connect() and run BEGIN on it.',
  ],
  [
    (given) => given.dialect && given.session,
    `With Drizzle, pass adapt(tx): ${ADAPTERS}#drizzle has its few lines.`,
  ],
  [
    (given) => given.$queryRawUnsafe,
    'With Prisma, pass { query: async (text, values) => { const rows = await tx.$queryRawUnsafe(text, ...values); return { rows, rowCount: rows.length }; } }.',
  ],
  [
    (given) => given.raw && given.isTransaction,
    'With Knex, pass await trx.client.acquireConnection(), which is the client of the transaction.',
  ],
  [
    (given) => given.unsafe,
    'With postgres.js, pass { query: async (text, values) => { const rows = await sql.unsafe(text, values); return { rows, rowCount: rows.count }; } }.',
  ],
  [
    (given) => given.queryRunner || given.isTransactionActive !== undefined,
    'With TypeORM, start the transaction of a queryRunner and pass { query: async (text, values) => { const { records, affected } = await queryRunner.query(text, values, true); return { rows: records, rowCount: affected }; } }.',
  ],
];

/**
 * The errors of a transaction that had already failed, and of a statement that SQLite does not
 * know.
 */
const MISTAKES: unknown[] = ['25P02', 'SQLITE_ERROR'];

/** Errors of a transaction that must be run again: a serialization failure and a deadlock. */
const CONFLICTS: unknown[] = ['40001', '40P01'];

/** Says that the caller must run the transaction again, if a write in it failed for that reason. */
export function explainConflict(error: unknown): never {
  if (!CONFLICTS.includes((error as { code?: unknown }).code)) throw error;
  throw new PaymentsError(
    'unavailable',
    'Another transaction wrote the same order at the same time. Roll this one back and run it again, or begin it with isolation level READ COMMITTED.',
    { cause: error },
  );
}

/** Fails with `invalid_request` for anything but an open transaction, before anything is written. */
export async function openWriter(
  transaction: Transaction,
  kind: Database['kind'],
): Promise<Writer> {
  const given = Object(transaction);
  try {
    const writer = toWriter(given, kind);
    await assertOpen(writer, kind);
    return writer;
  } catch (cause) {
    const { code, message } = cause as { code?: unknown; message: string };
    if (isDatabaseFailure(cause) && !MISTAKES.includes(code)) throw cause;
    const advice = kind === 'postgres' && ADVICE.find(([isIt]) => isIt(given))?.[1];
    const problem = `${USABLE[kind]} ${advice || `This one: ${message}.`}`;
    throw invalidRequest({ transaction: problem }, cause);
  }
}

function toWriter(given: Writer & PostgresTransaction, kind: Database['kind']): Writer {
  if (typeof given.getExecutor === 'function' && given.isTransaction) return given.withoutPlugins();
  if (kind === 'sqlite' || typeof given.query !== 'function') throw new Error('is of another kind');
  const client = {
    query: (text: string, values: unknown[]) => given.query(text, values),
    release() {},
  } as unknown as PostgresPoolClient;
  return new Kysely<Tables>({
    dialect: new PostgresDialect({
      pool: { options: {}, connect: async () => client, end: async () => {} },
    }),
  });
}

async function assertOpen(writer: Writer, kind: Database['kind']): Promise<void> {
  if (kind === 'postgres') {
    const id = sql`case current_setting('transaction_read_only')
      when 'on' then 'read-only' else cast(pg_current_xact_id() as text) end`;
    const [first] = await query(writer, id);
    if (first === 'read-only')
      throw new Error('is read-only. Begin it with READ WRITE, on the primary');
    if (first === undefined)
      throw new Error(`its query resolves to no { rows, rowCount }. Copy an adapter: ${ADAPTERS}`);
    // only statements of the same transaction share an id
    const [second] = await query(writer, sql`pg_current_xact_id_if_assigned()`);
    if (first !== second) throw new Error('has no open transaction');
  }
  const [table] = await query(
    writer,
    kind === 'sqlite'
      ? sql`(select name from sqlite_master where name = 'service_pay_payments')`
      : sql`to_regclass('service_pay_payments')`,
  );
  if (!table) throw new Error('its database has no table service_pay_payments');
}

async function query(writer: Writer, what: RawBuilder<unknown>): Promise<(string | null)[]> {
  const { rows } = await sql<{ it: string | null }>`select cast(${what} as text) as it`.execute(
    writer,
  );
  return rows.map(({ it }) => it);
}
