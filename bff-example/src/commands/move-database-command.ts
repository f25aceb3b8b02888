import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Kysely, PostgresDialect, sql } from 'kysely';
import { loadConfig } from '../config.ts';
import { type Database, openDatabase } from '../database.ts';
import type { Tables } from '../tables.ts';
import { runCommand, UsageError } from './command-line.ts';

/** So few that a statement ends long before the limit that the database's connection has. */
const ROWS_AT_ONCE = 100;

/** What is copied and what its rows are told apart by, those that others point to first. */
const TABLES = [
  { table: 'orders', key: ['id'] },
  { table: 'payments', key: ['reference'] },
  { table: 'webhook_deliveries', key: ['id'] },
  { table: 'fulfilments', key: ['order_id'] },
  { table: 'idempotency_keys', key: ['browser_id', 'key'] },
] as const satisfies { table: keyof Tables; key: readonly string[] }[];

type Row = Record<string, unknown>;

const USAGE = `Usage: npm run move-database -- file:.data/shop.db
Copies the records of that file into the empty database of DATABASE_URL. Stop the shop first.`;

await runCommand(async () => {
  const [from, ...more] = process.argv.slice(2);
  if (!from?.startsWith('file:') || more.length) throw new UsageError(USAGE);
  const file = resolve(fileURLToPath(new URL('../../', import.meta.url)), from.slice('file:'.length));
  if (!existsSync(file)) throw new UsageError(`There is no file ${file}.\n${USAGE}`);
  const { databaseUrl } = loadConfig();
  if (databaseUrl === `file:${file}`) throw new UsageError(`DATABASE_URL still names that file: name the new database there.\n${USAGE}`);

  const [source, target] = [await openDatabase(`file:${file}`), await openDatabase(databaseUrl)];
  try {
    await move(source, target);
  } finally {
    await Promise.all([source.close(), target.close()]);
  }
  console.log('All of it is there, and the file is as it was. Start the shop: what is due is asked about and handed over at once.');
  return 0;
});

/** All or nothing: a copy that ends early leaves the new database empty. The file can be written to by nobody meanwhile. */
async function move(source: Database, target: Database): Promise<void> {
  await source.db.transaction().execute((from) =>
    unhurried(target)
      .transaction()
      .execute(async (to) => {
        for (const { table } of TABLES) {
          if (await hasRows(to, table))
            throw new UsageError('The database of DATABASE_URL has records already. Name an empty one: nothing was copied.');
        }
        for (const { table, key } of TABLES) {
          console.log(`${table}: ${await copy(from, to, table, key)}`);
        }
      }),
  );
}

/** A shop's transaction on PostgreSQL is over in half a second or given up; this one may take minutes. */
function unhurried({ db, pool }: Database): Kysely<Tables> {
  return pool ? new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) }) : db;
}

async function copy(from: Kysely<Tables>, to: Kysely<Tables>, table: keyof Tables, key: readonly string[]): Promise<number> {
  const columns = sql.join(key.map((column) => sql.ref(column)));
  let copied = 0;
  let last: Row | undefined;
  for (;;) {
    const after = last ? sql`where (${columns}) > (${sql.join(key.map((column) => last?.[column]))})` : sql``;
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

async function hasRows(db: Kysely<Tables>, table: keyof Tables): Promise<boolean> {
  const { rows } = await sql`select 1 from ${sql.table(table)} limit 1`.execute(db);
  return rows.length > 0;
}
