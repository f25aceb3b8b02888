import { makeDatabaseUrl, readRows } from '@service-pay/server/testing';

import { makeOwnPostgresDatabase } from '../../scripts/test/test-postgres.ts';
import { writeRows } from '../lab/rows.ts';
import type { DatabaseKind } from './harness.ts';

/** The database of one run, read from outside the shop. */
export interface Database {
  readonly kind: DatabaseKind;
  readonly url: string;
  rows<Row>(statement: string): Promise<Row[]>;
  write(statement: string): Promise<void>;
  /** Returns the damage that SQLite finds in its own file. A PostgreSQL server checks its own. */
  damage(): Promise<string[]>;
  drop(): Promise<void>;
}

/**
 * Creates an empty database without a schema. With `ownServer`, PostgreSQL is a server that only
 * this process uses.
 */
export async function openFreshDatabase(
  kind: DatabaseKind,
  { ownServer = false } = {},
): Promise<Database> {
  const { url, drop } = await (kind === 'postgres' && ownServer
    ? makeOwnPostgresDatabase()
    : makeDatabaseUrl(kind));
  return {
    kind,
    url,
    rows: (statement) => readRows(url, statement),
    write: (statement) => writeRows(url, statement),
    async damage() {
      if (kind === 'postgres') return [];
      const rows = await readRows<{ integrity_check: string }>(url, 'pragma integrity_check');
      return rows.map((row) => row.integrity_check).filter((finding) => finding !== 'ok');
    },
    drop,
  };
}
