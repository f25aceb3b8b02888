import SqliteFile from 'better-sqlite3';
import { Kysely, SqliteDialect } from 'kysely';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { type Database, openDatabase } from './database.ts';
import { FulfilmentStore } from './fulfilment-store.ts';
import type { Tables } from './tables.ts';
import {
  DATABASES,
  makeDatabaseUrl,
  PATIENT_DATABASE,
  type TestDatabase,
} from './test-database.ts';
import { readRows } from './test-shop.ts';

const HELD = { state: 'waiting', lease_owner: 'me', lease_version: 1 } as const;

let home: TestDatabase;
let database: Database;

/**
 * Fulfilments whose lease ends at 1, each of an order of its own, as they stand in the database.
 */
async function store(
  fulfilments: readonly Pick<Tables['fulfilments'], 'state' | 'lease_owner' | 'lease_version'>[],
): Promise<void> {
  const order = {
    browser_id: 'b',
    customer: '{}',
    lines: '[]',
    amount: '10.00',
    currency: 'ZMW',
    paid_reference: null,
    created_at: 1,
  };
  const times = { due_at: 1, lease_until: 1, created_at: 1 };
  const rows = fulfilments.map((one, at) => ({
    order_id: `o${at}`,
    reference: `r${at}`,
    attempts: 1,
    ...times,
    ...one,
  }));
  await database.db
    .insertInto('orders')
    .values(rows.map(({ order_id }) => ({ id: order_id, ...order })))
    .execute();
  await database.db.insertInto('fulfilments').values(rows).execute();
}

const claimOf = (at: number, leaseVersion: number) => ({
  orderId: `o${at}`,
  reference: `r${at}`,
  attempts: 1,
  leaseVersion,
});

describe.each(DATABASES)('renewals asked for together on %s', (kind) => {
  beforeEach(async () => {
    home = await makeDatabaseUrl(kind);
    database = await openDatabase(home.url, PATIENT_DATABASE);
  });

  afterEach(async () => {
    await database.close();
    await home.drop();
  });

  test('are one statement, and each hears whether its lease is still held (T111)', async () => {
    const takenOver = [
      { ...HELD, lease_owner: 'another', lease_version: 2 },
      { ...HELD, lease_version: 2 },
      { ...HELD, state: 'done' as const, lease_owner: null },
    ];
    await store([...takenOver, ...Array(252).fill(HELD)]);
    const { counted, count } = countStatements(database);
    const fulfilments = new FulfilmentStore(counted);

    const ofMine = Array.from({ length: 255 }, (_, at) =>
      fulfilments.renew(claimOf(at, 1), 'me', 10, 60_000),
    );
    const ofAnother = fulfilments.renew(claimOf(0, 2), 'another', 10, 60_000);

    expect(await Promise.all(ofMine)).toEqual([
      ...takenOver.map(() => false),
      ...Array(252).fill(true),
    ]);
    expect(await ofAnother).toBe(true);
    expect(count()).toBe(1);
    expect(
      await readRows(
        home.url,
        'select order_id from fulfilments where lease_until = 1 order by order_id',
      ),
    ).toEqual([{ order_id: 'o1' }, { order_id: 'o2' }]);
  });
});

test('renewals find their rows by the key, however many there are', async () => {
  home = await makeDatabaseUrl('sqlite');
  await (await openDatabase(home.url, PATIENT_DATABASE)).close();
  const statements = new Set<string>();
  const raw = new SqliteFile(home.url.slice('file:'.length));
  const db = new Kysely<Tables>({
    dialect: new SqliteDialect({ database: raw }),
    log: ({ query }) => void statements.add(query.sql),
  });
  const fulfilments = new FulfilmentStore({ kind: 'sqlite', db, close: () => db.destroy() });
  for (const count of [1, 4, 16, 64, 256]) {
    await Promise.all(
      Array.from({ length: count }, (_, at) => fulfilments.renew(claimOf(at, 1), 'me', 10, 60_000)),
    );
  }

  const renewals = [...statements].filter((statement) => statement.startsWith('update'));
  const plans = renewals.flatMap((statement) => {
    const bound = Array(statement.split('?').length - 1).fill(1);
    return (
      raw.prepare(`explain query plan ${statement}`).all(...bound) as { detail: string }[]
    ).map(({ detail }) => detail);
  });
  await db.destroy();
  await home.drop();

  const looks = plans.filter((plan) => /fulfilments/.test(plan));
  expect(renewals).toHaveLength(5);
  expect(looks).toHaveLength(5);
  for (const look of looks) expect(look).toMatch(/^SEARCH fulfilments USING .+ \(order_id=\?\)$/);
});

/** The same database, and how many statements have run on it. */
function countStatements(of: Database): { counted: Database; count(): number } {
  let statements = 0;
  const db = of.db.withPlugin({
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      statements += 1;
      return result;
    },
  });
  return { counted: { ...of, db }, count: () => statements };
}
