import { FOLDER_OF_DATABASES, POSTGRES_IS_MISSING } from './test-database.ts';
import { startPostgres } from './test-postgres-server.ts';

/**
 * Starts the one PostgreSQL that all test files of a Vitest run share, and returns what stops it.
 * Each test makes a database of its own there. `TEST_POSTGRES_URL` may name a server that runs
 * already.
 */
export default async function setup(): Promise<(() => Promise<void>) | undefined> {
  if (POSTGRES_IS_MISSING || process.env.TEST_POSTGRES_URL) return undefined;
  const server = await startPostgres(FOLDER_OF_DATABASES);
  process.env.TEST_POSTGRES_URL = server.url;
  return server.stop;
}
