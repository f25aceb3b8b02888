import { COUNTS_AS_NUMBERS } from '@service-pay/server/internal/database/postgres';
import { makeDatabaseUrl } from '@service-pay/server/testing';
import SqliteFile from 'better-sqlite3';
import pg from 'pg';
import { makeOwnPostgresDatabase } from '../../scripts/test/test-postgres.ts';
import type { DatabaseKind } from './harness.ts';

/** The database of one run, read from outside the shop. */
export interface Database {
  readonly kind: DatabaseKind;
  readonly url: string;
  rows<Row>(statement: string): Promise<Row[]>;
  write(statement: string): Promise<void>;
  /** Damage that the database finds in its own files. A PostgreSQL server looks after its own. */
  damage(): Promise<string[]>;
  drop(): Promise<void>;
}

/**
 * Makes an empty database; the shop brings its schema. With `ownServer`, PostgreSQL is a server
 * that only this process uses.
 */
export async function openFreshDatabase(
  kind: DatabaseKind,
  { ownServer = false } = {},
): Promise<Database> {
  const { url, drop } = await (kind === 'postgres' && ownServer
    ? makeOwnPostgresDatabase()
    : makeDatabaseUrl(kind));
  return kind === 'sqlite' ? readFile(url, drop) : readServer(url, drop);
}

function readFile(url: string, drop: () => Promise<void>): Database {
  const read = <Row>(statement: string): Row[] => {
    const connection = new SqliteFile(url.slice('file:'.length), {
      readonly: true,
      timeout: 5_000,
    });
    try {
      return connection.prepare(statement).all() as Row[];
    } finally {
      connection.close();
    }
  };
  return {
    kind: 'sqlite',
    url,
    rows: async (statement) => read(statement),
    async write(statement) {
      const connection = new SqliteFile(url.slice('file:'.length), { timeout: 5_000 });
      connection.exec(statement);
      connection.close();
    },
    damage: async () =>
      read<{ integrity_check: string }>('pragma integrity_check')
        .map((row) => row.integrity_check)
        .filter((finding) => finding !== 'ok'),
    drop,
  };
}

function readServer(url: string, drop: () => Promise<void>): Database {
  const pool = new pg.Pool({ connectionString: url, max: 2, types: COUNTS_AS_NUMBERS });
  pool.on('error', () => {}); // a connection that was ended is replaced by the next question
  return {
    kind: 'postgres',
    url,
    rows: async <Row>(statement: string) => (await pool.query(statement)).rows as Row[],
    write: async (statement) => void (await pool.query(statement)),
    damage: async () => [],
    async drop() {
      await pool.end();
      await drop();
    },
  };
}
