import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import SqliteFile from 'better-sqlite3';

import type { DatabaseKind } from './harness.ts';

/** A database of one run, read as another program would. */
export interface Database {
  readonly kind: DatabaseKind;
  readonly url: string;
  /** Rows of a statement without parameters. */
  rows<Row>(statement: string): Promise<Row[]>;
  /** What the database itself finds wrong with its files. */
  damage(): Promise<string[]>;
  drop(): Promise<void>;
}

/** Makes an empty database; the shop brings its schema. */
export async function openFreshDatabase(kind: DatabaseKind): Promise<Database> {
  if (kind === 'postgres') throw new Error('This build of the shop stores in SQLite only.');
  const folder = await mkdtemp(join(tmpdir(), 'faults-database-'));
  const file = join(folder, 'shop.db');
  const read = <Row>(statement: string): Row[] => {
    const connection = new SqliteFile(file, { readonly: true, timeout: 5_000 });
    try {
      return connection.prepare(statement).all() as Row[];
    } finally {
      connection.close();
    }
  };
  return {
    kind,
    url: `file:${file}`,
    rows: async (statement) => read(statement),
    damage: async () =>
      read<{ integrity_check: string }>('pragma integrity_check')
        .map((row) => row.integrity_check)
        .filter((finding) => finding !== 'ok'),
    drop: () => rm(folder, { recursive: true }),
  };
}
