import SqliteFile from 'better-sqlite3';
import pg from 'pg';

/** Runs a statement on a connection of its own. */
export async function writeRows(databaseUrl: string, statement: string): Promise<void> {
  if (databaseUrl.startsWith('file:')) {
    const file = new SqliteFile(databaseUrl.slice('file:'.length), { timeout: 5_000 });
    file.exec(statement);
    file.close();
    return;
  }
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query(statement).finally(() => client.end());
}
