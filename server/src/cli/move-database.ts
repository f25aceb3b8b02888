import { resolve } from 'node:path';
import { type Kysely, sql } from 'kysely';
import { describeEnvironment, readEnvironments } from '../database/environment.ts';
import { isBusy } from '../database/group-commit.ts';
import { nameDatabase, openDatabase } from '../database/open.ts';
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

const USAGE = `Usage: service-pay move-database file:.data/shop.db
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
      const target = await openDatabase(databaseUrl, databaseOptions);
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
    await takeEnvironments(source, to, name);
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

/** Lets the file's environments take the place of the target's, if a shop of theirs has opened it. */
async function takeEnvironments(
  source: Kysely<Tables>,
  to: Kysely<Tables>,
  name: string,
): Promise<void> {
  const theirs = await readEnvironments(to);
  const ours = (await readEnvironments(source)).map(describeEnvironment);
  const other = theirs.map(describeEnvironment).find((one) => !ours.includes(one));
  if (other)
    throw new UsageError(
      `The database of DATABASE_URL, ${name}, belongs to ${other}, and the file does not. Nothing was copied.`,
    );
  await to.deleteFrom('service_pay_environments').execute();
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
