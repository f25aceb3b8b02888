import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Database } from '../database/database.ts';
import { rejectMissing } from '../peer.ts';

export interface TestDatabase {
  url: string;
  drop(): Promise<void>;
}

/** The folder of test databases: `TEST_DATABASE_FOLDER` may name a faster disk. */
export const FOLDER_OF_DATABASES = process.env.TEST_DATABASE_FOLDER ?? tmpdir();

export const POSTGRES_IS_MISSING = process.env.TEST_POSTGRES_URL
  ? undefined
  : 'TEST_POSTGRES_URL does not name a PostgreSQL server';

export const DATABASES: readonly Database['kind'][] = POSTGRES_IS_MISSING
  ? ['sqlite']
  : ['sqlite', 'postgres'];

/** Creates an empty database: a file, or one on the PostgreSQL server of `TEST_POSTGRES_URL`. */
export async function makeDatabaseUrl(kind: Database['kind']): Promise<TestDatabase> {
  if (kind === 'postgres') return makePostgresDatabase(process.env.TEST_POSTGRES_URL!);
  const folder = await mkdtemp(join(FOLDER_OF_DATABASES, 'shop-'));
  return {
    url: `file:${join(folder, 'shop.db')}`,
    drop: () => rm(folder, { recursive: true, force: true }),
  };
}

export async function makePostgresDatabase(serverUrl: string): Promise<TestDatabase> {
  const name = `shop_${randomUUID().replaceAll('-', '')}`;
  await runOn(serverUrl, `create database ${name}`);
  return {
    url: new URL(`/${name}`, serverUrl).href,
    drop: () => runOn(serverUrl, `drop database if exists ${name} with (force)`),
  };
}

async function runOn(serverUrl: string, statement: string): Promise<void> {
  const { default: pg } = await importPg();
  const client = new pg.Client({ connectionString: new URL('/postgres', serverUrl).href });
  await client.connect();
  await client.query(statement);
  await client.end();
}

/** Reads rows on its own connection. Parameters are written `?`. */
export async function readRows<Row>(
  databaseUrl: string,
  statement: string,
  parameters: unknown[] = [],
): Promise<Row[]> {
  if (databaseUrl.startsWith('file:')) {
    const { default: SqliteFile } = await import('better-sqlite3').catch(
      rejectMissing('better-sqlite3'),
    );
    const file = new SqliteFile(databaseUrl.slice('file:'.length), { readonly: true });
    try {
      return file.prepare(statement).all(...parameters) as Row[];
    } finally {
      file.close();
    }
  }
  const { default: pg } = await importPg();
  const { COUNTS_AS_NUMBERS } = await import('../database/lost-commits.ts');
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    let at = 0;
    const { rows } = await client.query({
      text: statement.replaceAll('?', () => `$${++at}`),
      values: parameters,
      types: COUNTS_AS_NUMBERS,
    });
    return rows as Row[];
  } finally {
    await client.end();
  }
}

function importPg(): Promise<typeof import('pg')> {
  return import('pg').catch(rejectMissing('pg'));
}
