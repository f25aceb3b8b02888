import { Kysely, PostgresDialect, type PostgresPoolClient } from 'kysely';
import type { Pool } from 'pg';

import type { Tables } from './database/schema.ts';
import { refuseProblems } from './errors.ts';
import type { Writer } from './payments/store.ts';

/** A transaction of the application: Kysely's own, or a client of `pg` that has begun one. */
export type Transaction = { readonly isTransaction: true } | PostgresClient;

interface PostgresClient {
  query(text: string, values: unknown[]): Promise<unknown>;
}

/** Fails with `invalid_request` for a whole Kysely or a pool, which would commit on its own. */
export function writerOf(transaction: Transaction): Writer {
  const { isTransaction, totalCount } = transaction as Partial<Writer & Pool>;
  const isWhole = isTransaction === false || totalCount !== undefined;
  const problem = 'must be a transaction of Kysely or a client of pg that has begun one.';
  refuseProblems({ transaction: isWhole && problem });
  if ('isTransaction' in transaction) return transaction as Writer;
  const client = {
    query: (text: string, values: unknown[]) => transaction.query(text, values),
    release() {},
  } as unknown as PostgresPoolClient;
  return new Kysely<Tables>({
    dialect: new PostgresDialect({
      pool: { options: {}, connect: async () => client, end: async () => {} },
    }),
  });
}
