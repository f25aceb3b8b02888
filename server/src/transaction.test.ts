import SqliteFile from 'better-sqlite3';
import { CamelCasePlugin, Kysely, PostgresDialect, SqliteDialect } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { openPayments } from '../test/payments.ts';
import type { Payments } from './index.ts';
import { DATABASES, makeDatabaseUrl, readRows, type TestDatabase } from './testing/databases.ts';

const ORDER = { amount: '92.50', currency: 'ZMW', owner: 'ann', data: {} };

let database: TestDatabase;
let payments: Payments;

async function start(kind: (typeof DATABASES)[number]): Promise<void> {
  database = await makeDatabaseUrl(kind);
  payments = await openPayments({ database: database.url });
}

async function stop(): Promise<void> {
  await payments.close();
  await database.drop();
}

const place = (transaction: unknown, more = {}) =>
  payments.create({ ...ORDER, ...more }, { transaction: transaction as never });

async function expectRejected(transaction: unknown, says: string | RegExp): Promise<void> {
  const before = await countStored();
  await expect(place(transaction, { idempotencyKey: 'rejected' })).rejects.toMatchObject({
    code: 'invalid_request',
    message: typeof says === 'string' ? expect.stringContaining(says) : expect.stringMatching(says),
    problems: [{ path: 'transaction' }],
  });
  expect(await countStored()).toBe(before);
}

async function countStored(): Promise<number> {
  const tables = ['service_pay_payments', 'service_pay_idempotency_keys'];
  const count = tables.map((table) => `(select count(*) from ${table})`).join(' + ');
  return (await readRows<{ n: number }>(database.url, `select ${count} as n`))[0]!.n;
}

function openKysely(url: string, options = {}): Kysely<Record<string, never>> {
  const dialect = url.startsWith('file:')
    ? new SqliteDialect({ database: new SqliteFile(url.slice('file:'.length)) })
    : new PostgresDialect({ pool: openPool(url) });
  const kysely = new Kysely<Record<string, never>>({ dialect, ...options });
  onTestFinished(() => kysely.destroy());
  return kysely;
}

function openPool(url: string): pg.Pool {
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool.on('error', () => {}); // its database is dropped
}

async function connect(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

describe.each(DATABASES)('the transaction given to create, on %s,', (kind) => {
  beforeAll(() => start(kind));
  afterAll(stop);

  test.each([null, undefined])(
    'the transaction given to create is optional: %s stores the order by itself',
    async (none) => {
      const { reference } = await place(none);

      expect(await payments.find(reference, { owner: 'ann' })).toMatchObject({ reference });
    },
  );

  test.each([{}, false, 0, '', 'begin', [], () => {}, Symbol('it')])(
    'the transaction given to create is rejected if it is %o (T134)',
    (nothing) => expectRejected(nothing, /^transaction must be an open transaction /),
  );

  test('the transaction given to create is rejected if it is a whole Kysely, a connection of one, or has ended (T134)', async () => {
    const kysely = openKysely(database.url);
    let ended: unknown;
    await kysely.transaction().execute(async (transaction) => {
      ended = transaction;
    });

    await expectRejected(kysely, 'what db.transaction().execute() passes to its function');
    await kysely.connection().execute((connection) => expectRejected(connection, 'execute()'));
    await expectRejected(ended, 'Transaction is already committed');
  });

  test.each(DATABASES)(
    'the transaction given to create is rejected if it is of another database, on %s (T134)',
    async (other) => {
      const elsewhere = await makeDatabaseUrl(other);
      onTestFinished(elsewhere.drop);
      if (other === 'sqlite') new SqliteFile(elsewhere.url.slice('file:'.length)).close();
      const kysely = openKysely(elsewhere.url);

      const reason = kind === other ? 'its database has no table' : /no such|does not exist/;
      const transaction = await kysely.startTransaction().execute();
      await expectRejected(transaction, reason);
      await transaction.rollback().execute();
    },
  );

  test("the transaction given to create stores the payment with it or not at all, also with the plugins of the application's Kysely", async () => {
    const kysely = openKysely(database.url, { plugins: [new CamelCasePlugin()] });
    const same = { idempotencyKey: 'k' };
    const undone = kysely.transaction().execute(async (transaction) => {
      throw new Error((await place(transaction)).reference);
    });
    const { message: lost } = await undone.catch((error: Error) => error);

    const [first, again] = await kysely
      .transaction()
      .execute(async (transaction) => [
        await place(transaction, same),
        await place(transaction, same),
      ]);

    expect(again).toEqual({ ...first, movedAt: again!.movedAt });
    expect(await payments.find(again!.reference, { owner: 'ann' })).toEqual(again);
    await expect(payments.find(lost, { owner: 'ann' })).rejects.toMatchObject({
      code: 'order_not_found',
    });
  });
});

test('on SQLite, a transaction is rejected if it is not of Kysely (T134)', async () => {
  await start('sqlite');
  onTestFinished(stop);
  const file = new SqliteFile(database.url.slice('file:'.length));

  await expectRejected(file, "must be an open transaction of Kysely on the shop's file");
  await expectRejected({ query: async () => ({ rows: [] }) }, 'of Kysely');
  file.close();
});

describe.skipIf(!DATABASES.includes('postgres'))('on PostgreSQL, a transaction', () => {
  beforeAll(() => start('postgres'));
  afterAll(stop);

  test('on PostgreSQL, a transaction may be an object that runs statements and returns their rows', async () => {
    const client = await connect();
    const transaction = {
      async query(text: string, values: unknown[]) {
        const { rows, rowCount } = await client.query(text, values);
        return { rows, rowCount };
      },
    };
    await client.query('begin');
    const lost = await payments.create(ORDER, { transaction });
    await client.query('rollback');
    await client.query('begin');
    await client.query('savepoint mine');
    const made = await payments.create(ORDER, { transaction });
    await client.query('commit');

    await expect(payments.find(lost.reference, { owner: 'ann' })).rejects.toThrow();
    expect(await payments.find(made.reference, { owner: 'ann' })).toEqual(made);
  });

  test('on PostgreSQL, a transaction is looked for with a select, before anything is written (T134)', async () => {
    const client = await connect();
    const statements: string[] = [];
    const transaction = {
      query(text: string, values: unknown[]) {
        statements.push(text.trim().split(/\s/)[0]!);
        return client.query(text, values);
      },
    };

    await expectRejected(transaction, 'has no open transaction');
    expect(new Set(statements)).toEqual(new Set(['select']));
  });

  test('on PostgreSQL, a transaction is rejected if a client of pg has not begun it, or has ended it, or it has failed (T134)', async () => {
    const client = await connect();

    await expectRejected(client, /a client of pg after BEGIN.* has no open transaction\.$/);
    await client.query('begin; rollback');
    await expectRejected(client, 'has no open transaction');
    await client.query('begin');
    await client.query('select no_such_column').catch(() => {});
    await expectRejected(client, 'current transaction is aborted');
  });

  test('on PostgreSQL, a transaction is rejected if it is read-only, before anything is written', async () => {
    const client = await connect();
    for (const begin of ['begin read only', 'begin isolation level repeatable read read only']) {
      await client.query(begin);
      await expectRejected(
        client,
        'This one: is read-only. Begin it with READ WRITE, on the primary.',
      );
      await client.query('rollback');
    }
  });

  test.each(['repeatable read', 'serializable'])(
    'on PostgreSQL, a transaction may be %s, and gets a message to begin again if another one used its key meanwhile',
    async (level) => {
      const client = await connect();
      const idempotencyKey = level.replace(' ', '-');
      const begin = async () => {
        await client.query(`begin isolation level ${level}`);
        await client.query('select 1 from service_pay_payments');
      };
      await begin();
      const first = await payments.create({ ...ORDER, idempotencyKey });

      await expect(place(client, { idempotencyKey })).rejects.toMatchObject({
        code: 'unavailable',
        message: expect.stringMatching(
          /^Another transaction wrote the same order .* Roll this one back and run it again/,
        ),
      });

      await client.query('rollback');
      await begin();
      expect((await place(client, { idempotencyKey })).reference).toBe(first.reference);
      expect((await place(client)).state).toBe('awaiting-payment');
      await client.query('commit');
    },
  );

  test('on PostgreSQL, a transaction is rejected if it is a pool, whole or by its query alone (T134)', async () => {
    const pool = openPool(database.url);
    onTestFinished(() => pool.end());

    await expectRejected(pool, 'take a client with pool.connect() and run BEGIN on it');
    await expectRejected(
      { query: (text: string, values: unknown[]) => pool.query(text, values) },
      'has no open transaction',
    );
  });

  // Each has the members that the real one has.
  test.each([
    ['Drizzle', { query: {}, execute() {}, session: {}, dialect: {} }, 'docs/orms.md#drizzle'],
    ['Prisma', { $queryRawUnsafe() {}, $executeRawUnsafe() {} }, 'tx.$queryRawUnsafe('],
    [
      'Knex',
      Object.assign(() => {}, { raw() {}, isTransaction: true }),
      'trx.client.acquireConnection()',
    ],
    ['postgres.js', Object.assign(() => {}, { unsafe() {}, savepoint() {} }), 'sql.unsafe('],
    [
      'a QueryRunner of TypeORM',
      { isTransactionActive: true, manager: {}, query: async () => [{ it: '7' }] },
      'queryRunner.query(text, values, true)',
    ],
    [
      'an EntityManager of TypeORM',
      { queryRunner: {}, query: async () => [{ it: '7' }] },
      'queryRunner.query(text, values, true)',
    ],
    ['Sequelize', { connection: {}, sequelize: {}, savepoints: [] }, 'query(text, values)'],
    ['pg-promise', { query: async () => [{ it: '7' }] }, 'no { rows, rowCount }'],
    ['a callback', { query: () => undefined }, 'query(text, values)'],
  ])(
    'on PostgreSQL, a transaction is rejected if it is of %s, and the message says what works (T134)',
    (_what, given, says) => expectRejected(given, says),
  );
});
