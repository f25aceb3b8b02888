import { Kysely, PostgresDialect, type PostgresPoolClient } from 'kysely';

import type { Tables } from './database/schema.ts';
import type { Writer } from './payments/store.ts';

/** A transaction of the application: Kysely's own, or a client of `pg` that has begun one. */
export type Transaction = Pick<Kysely<unknown>, 'isTransaction'> | PostgresClient;

interface PostgresClient {
  query(text: string, values: unknown[]): Promise<unknown>;
}

export function writerOf(transaction: Transaction): Writer {
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
