import { resolve } from 'node:path';
import { Kysely, PostgresDialect, sql } from 'kysely';
import { type Database, nameDatabase, openDatabase, openShopDatabase } from '../database/open.ts';
import type { Tables } from '../database/schema.ts';
import { printable, type Terminal, UsageError } from './command-line.ts';

/** So few that a statement ends long before the limit that the database's connection has. */
const ROWS_AT_ONCE = 100;

/** What is copied and what its rows are told apart by, those that others point to first. */
const TABLES = [
  { table: 'service_pay_payments', key: ['reference'] },
  { table: 'service_pay_webhook_deliveries', key: ['id'] },
  { table: 'service_pay_fulfilments', key: ['order_id'] },
  { table: 'service_pay_idempotency_keys', key: ['owner', 'key'] },
] as const satisfies { table: keyof Tables; key: readonly string[] }[];

type Row = Record<string, unknown>;

const USAGE = `Usage: npm run move-database -- file:.data/shop.db
Copies the records of that file into the empty database of DATABASE_URL. Stop the shop first.`;

/** `npm run move-database`: copies a shop's file into another database. */
export async function moveDatabase({
  words,
  loadConfig,
  databaseOptions,
  print,
}: Terminal): Promise<number> {
  const [from, ...more] = words;
  if (!from?.startsWith('file:') || more.length) throw new UsageError(USAGE);
  const file = resolve(from.slice('file:'.length));
  const { databaseUrl } = loadConfig();
  if (databaseUrl === `file:${file}`)
    throw new UsageError(
      `DATABASE_URL still names that file: name the new database there.\n${USAGE}`,
    );

  const source = await openShopDatabase(
    `file:${file}`,
    'Name the file of a shop that this version was started on.',
    {
      ...databaseOptions,
      isReadOnly: true,
    },
  );
  try {
    const name = printable(nameDatabase(`file:${file}`)).replace(/^t/, 'T');
    if (!(await hasRecords(source.db)))
      throw new UsageError(`${name} has no records, so there is nothing to move: start the shop.`);
    const target = await openDatabase(databaseUrl, databaseOptions);
    await move(source, target, name, print).finally(() => target.close());
  } finally {
    await source.close();
  }
  print(
    'All of it is there, and the file is as it was. No shop may run on it any more: what that takes stays there.',
  );
  print('Start the shop: what is due is asked about and handed over at once.');
  return 0;
}

/**
 * All or nothing: a copy that ends early, or of a file that was written to meanwhile, leaves the
 * new database empty.
 */
async function move(
  source: Database,
  target: Database,
  name: string,
  print: Terminal['print'],
): Promise<void> {
  await unhurried(target)
    .transaction()
    .execute(async (to) => {
      if (await hasRecords(to)) {
        throw new UsageError(
          'The database of DATABASE_URL has records already. Name an empty one: nothing was copied.',
        );
      }
      const before = await readDataVersion(source);
      await source.db.transaction().execute(async (from) => {
        for (const { table, key } of TABLES)
          print(`${table.replace('service_pay_', '')}: ${await copy(from, to, table, key)}`);
      });
      if ((await readDataVersion(source)) !== before) {
        throw new UsageError(
          `${name} was written to meanwhile: stop the shop, then repeat this. Nothing was copied.`,
        );
      }
    });
}

/** A number that is another once any other process has written to the file. */
async function readDataVersion({ db }: Database): Promise<number | undefined> {
  const { rows } = await sql<{ data_version: number }>`pragma data_version`.execute(db);
  return rows[0]?.data_version;
}

/**
 * A shop's transaction on PostgreSQL is over in half a second or given up; this one may take
 * minutes.
 */
function unhurried({ db, pool }: Database): Kysely<Tables> {
  return pool ? new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) }) : db;
}

async function copy(
  from: Kysely<Tables>,
  to: Kysely<Tables>,
  table: keyof Tables,
  key: readonly string[],
): Promise<number> {
  const columns = sql.join(key.map((column) => sql.ref(column)));
  let copied = 0;
  let last: Row | undefined;
  for (;;) {
    const after = last
      ? sql`where (${columns}) > (${sql.join(key.map((column) => last?.[column]))})`
      : sql``;
    const page = sql<Row>`select * from ${sql.table(table)} ${after} order by ${columns} limit ${sql.lit(ROWS_AT_ONCE)}`;
    const { rows } = await page.execute(from);
    if (!rows.length) return copied;
    await to
      .insertInto(table)
      .values(rows as never)
      .execute();
    copied += rows.length;
    last = rows.at(-1);
  }
}

async function hasRecords(db: Kysely<Tables>): Promise<boolean> {
  for (const { table } of TABLES) {
    const { rows } = await sql`select 1 from ${sql.table(table)} limit 1`.execute(db);
    if (rows.length) return true;
  }
  return false;
}
