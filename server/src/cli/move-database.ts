import { resolve } from 'node:path';
import { type Kysely, sql } from 'kysely';
import {
  describeEnvironment,
  type Environment,
  OtherEnvironmentError,
  readEnvironments,
} from '../database/environment.ts';
import { isBusy } from '../database/group-commit.ts';
import { nameDatabase, type OpenHooks, openDatabase } from '../database/open.ts';
import type { Tables } from '../database/schema.ts';
import { type Command, UsageError } from './command-line.ts';

const ROWS_AT_ONCE = 100;

const TABLES = [
  'service_pay_payments',
  'service_pay_webhook_deliveries',
  'service_pay_fulfilments',
  'service_pay_idempotency_keys',
  'service_pay_decisions',
  'service_pay_environments',
] as const satisfies (keyof Tables)[];

const USAGE = `Usage: npx --no -- service-pay move-database file:.data/shop.db

Copies the records of that file into the empty database of DATABASE_URL, with the service and public
key that it belongs to. Stop the shop first.`;

export const moveDatabase: Command = {
  usage: USAGE,
  async run({ positionals, loadConfig, databaseOptions, print }) {
    const [from, ...more] = positionals;
    if (!from?.startsWith('file:') || more.length) throw new UsageError(USAGE);
    const { databaseUrl } = loadConfig('DATABASE_URL');
    const source = await openDatabase(`file:${resolve(from.slice('file:'.length))}`, {
      ...databaseOptions,
      isThere: true,
      todo: 'Nothing was created or changed. Enter the file of a shop that this version was started on.',
    });
    try {
      const environments = await readEnvironments(source.db, source.kind);
      const hooks = { before: buildGuard(environments) };
      const target = await openDatabase(databaseUrl, { ...databaseOptions, hooks });
      const copied = await move(source.db, target.db, nameDatabase(databaseUrl)).finally(() =>
        target.close(),
      );
      print(copied.join('\n'));
    } finally {
      await source.close();
    }
    print('All records are copied. The file keeps them, too.');
    print(
      'Start the shop on the new database. Never start it on the file again, because the new database would not get those orders.',
    );
    return 0;
  },
};

/** Copies all records in one transaction, so that the target stays empty after an error. */
async function move(
  source: Kysely<Tables>,
  target: Kysely<Tables>,
  name: string,
): Promise<string[]> {
  return target.transaction().execute(async (to) => {
    for (const table of TABLES)
      if (table !== 'service_pay_environments') await assertEmpty(to, table, name);
    await lockFile(source);
    await to.deleteFrom('service_pay_environments').execute(); // those of the file take their place
    const copied: string[] = [];
    for (const table of TABLES)
      copied.push(`${table.replace('service_pay_', '')}: ${await copy(source, to, table)}`);
    return copied;
  });
}

async function assertEmpty(db: Kysely<Tables>, table: keyof Tables, name: string): Promise<void> {
  if (await db.selectFrom(table).select(sql`1`.as('one')).limit(1).executeTakeFirst())
    throw new UsageError(
      `The database of DATABASE_URL, ${name}, has records already. Set DATABASE_URL to the new, empty one. Nothing was copied.`,
    );
}

/** Rejects a target that a shop of another environment has opened. */
function buildGuard(ofFile: readonly Environment[]): NonNullable<OpenHooks['before']> {
  return async (db, kind) => {
    const known = ofFile.map(describeEnvironment);
    const ofTarget = (await readEnvironments(db, kind)).map(describeEnvironment);
    const other = ofTarget.find((one) => !known.includes(one));
    if (other)
      throw new OtherEnvironmentError(
        `it belongs to ${other}, and the file does not`,
        'Set DATABASE_URL to another, empty one. Nothing was copied.',
      );
  };
}

/** Locks the file until it is closed. Fails while a shop has it open, even if idle. */
async function lockFile(db: Kysely<Tables>): Promise<void> {
  await sql`pragma locking_mode = exclusive`.execute(db);
  try {
    await db.transaction().execute(async () => {});
  } catch (error) {
    if (!isBusy(error)) throw error;
    throw new UsageError(
      'The file is in use. Stop the shop, then run this again. Nothing was copied.',
    );
  }
}

async function copy(
  from: Kysely<Tables>,
  to: Kysely<Tables>,
  table: (typeof TABLES)[number],
): Promise<number> {
  for (let copied = 0; ; ) {
    const rows = await from
      .selectFrom(table)
      .selectAll()
      .orderBy(sql`rowid`)
      .limit(ROWS_AT_ONCE)
      .offset(copied)
      .execute();
    if (!rows.length) return copied;
    await to
      .insertInto(table)
      .values(rows as never)
      .execute();
    copied += rows.length;
  }
}
