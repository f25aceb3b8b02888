import { resolve } from 'node:path';
import { Kysely, PostgresDialect, sql } from 'kysely';
import { type Database, nameDatabase, openDatabase, openShopDatabase } from '../database/open.ts';
import type { Tables } from '../database/schema.ts';
import { type Command, printable, type Terminal, UsageError } from './command-line.ts';

const ROWS_AT_ONCE = 100;

const TABLES = [
  'service_pay_payments',
  'service_pay_webhook_deliveries',
  'service_pay_fulfilments',
  'service_pay_idempotency_keys',
] as const satisfies (keyof Tables)[];

const USAGE = `Usage: service-pay move-database file:.data/shop.db
Copies the records of that file into the empty database of DATABASE_URL. Stop the shop first.`;

export const moveDatabase: Command = {
  usage: USAGE,
  async run({ positionals, loadConfig, databaseOptions, print }) {
    const [from, ...more] = positionals;
    if (!from?.startsWith('file:') || more.length) throw new UsageError(USAGE);
    const address = `file:${resolve(from.slice('file:'.length))}`;
    const { databaseUrl } = loadConfig('databaseUrl');
    if (databaseUrl === address)
      throw new UsageError(
        `DATABASE_URL still names that file. Set it to the new database.\n${USAGE}`,
      );

    const source = await openShopDatabase(
      address,
      'Enter the file of a shop that this version was started on.',
      { ...databaseOptions, isReadOnly: true },
    );
    try {
      const name = printable(nameDatabase(address)).replace(/^t/, 'T');
      if (!(await hasRecords(source.db)))
        throw new UsageError(
          `${name} has no records, so there is nothing to move. Start the shop.`,
        );
      const target = await openDatabase(databaseUrl, databaseOptions);
      await move(source, target, name, print).finally(() => target.close());
    } finally {
      await source.close();
    }
    print('All records are copied, and the file is unchanged.');
    print(
      'Start the shop on the new database. Never start it on the file again: orders placed there would stay there.',
    );
    return 0;
  },
};

/** Copies all or nothing: if it fails, or the file was changed meanwhile, the target stays empty. */
async function move(
  source: Database,
  { db, pool }: Database,
  name: string,
  print: Terminal['print'],
): Promise<void> {
  // the shop's own connection gives up a transaction after half a second
  const target = pool ? new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) }) : db;
  await target.transaction().execute(async (to) => {
    if (await hasRecords(to))
      throw new UsageError(
        'The database of DATABASE_URL has records already. Set it to an empty one. Nothing was copied.',
      );
    const before = await readDataVersion(source.db);
    await source.db.transaction().execute(async (from) => {
      for (const table of TABLES)
        print(`${table.replace('service_pay_', '')}: ${await copy(from, to, table)}`);
    });
    if ((await readDataVersion(source.db)) !== before)
      throw new UsageError(
        `${name} was changed during the copy. Stop the shop, then run this again. Nothing was copied.`,
      );
  });
}

async function readDataVersion(db: Kysely<Tables>): Promise<number | undefined> {
  const { rows } = await sql<{ data_version: number }>`pragma data_version`.execute(db);
  return rows[0]?.data_version;
}

async function copy(
  from: Kysely<Tables>,
  to: Kysely<Tables>,
  table: (typeof TABLES)[number],
): Promise<number> {
  let copied = 0;
  let rows: object[] = [];
  const insertRows = async () => {
    if (rows.length)
      await to
        .insertInto(table)
        .values(rows as never)
        .execute();
    copied += rows.length;
    rows = [];
  };
  for await (const row of from.selectFrom(table).selectAll().stream())
    if (rows.push(row) === ROWS_AT_ONCE) await insertRows();
  await insertRows();
  return copied;
}

async function hasRecords(db: Kysely<Tables>): Promise<boolean> {
  for (const table of TABLES)
    if (await db.selectFrom(table).select(sql`1`.as('one')).limit(1).executeTakeFirst())
      return true;
  return false;
}
