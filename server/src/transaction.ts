import { Kysely, PostgresDialect, type PostgresPoolClient } from 'kysely';

import type { Tables } from './database/schema.ts';
import type { Writer } from './payments/store.ts';

/** A transaction of the application: Kysely's own, or a client of `pg` that has begun one. */
export type Transaction = Pick<Kysely<unknown>, 'isTransaction'> | PostgresClient;

/** A client of `pg`, as far as it is used. */
interface PostgresClient {
  query(text: string, values: unknown[]): Promise<unknown>;
}

/** Runs statements within a transaction of the application, and neither commits nor releases it. */
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
