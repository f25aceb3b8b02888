import { existsSync } from 'node:fs';
import SqliteFile from 'better-sqlite3';

import { runNode } from '../programs/run-tool.ts';

const SANDBOX = 'http://localhost';

/**
 * Records the sandbox and its key in the demo's own database if an older version made it. The shop
 * could not find out by itself that they belong together, because a new sandbox knows none of the
 * payments.
 */
export async function adoptDatabase(file: string, publicKey: string): Promise<void> {
  if (!existsSync(file) || hasEnvironment(file)) return;
  for (const words of [['migrate'], ['environment', 'add', SANDBOX, publicKey]]) {
    const command = ['server/src/cli/main.ts', ...words, '--database', `file:${file}`];
    const { exitCode, output } = await runNode(command, { quiet: true });
    if (exitCode !== 0) throw new Error(output.trim());
  }
}

function hasEnvironment(file: string): boolean {
  const database = new SqliteFile(file, { readonly: true });
  try {
    const table = database.prepare(
      "select 1 from sqlite_master where name = 'service_pay_environments'",
    );
    return (
      table.get() !== undefined &&
      database.prepare('select 1 from service_pay_environments').get() !== undefined
    );
  } finally {
    database.close();
  }
}
