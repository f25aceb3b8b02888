import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  makeDatabaseUrl,
  POSTGRES_IS_MISSING,
  readRows,
  type TestDatabase,
} from '@service-pay/server/testing';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';

import { UNLOCKED_INSTALL } from '../packages/installed-project.ts';
import { pack } from '../packages/pack.ts';
import { ROOT, runNode, runProgram } from '../programs/run-tool.ts';
import { expectEveryBlockRun } from './every-block.ts';
import { MarkedPage } from './marked-page.ts';

const PATIENT_MS = 10 * 60_000;

const page = new MarkedPage('docs/orms.md');
const project = mkdtempSync(join(tmpdir(), 'service-pay-orms-'));
let database: TestDatabase;

beforeAll(async () => {
  cpSync(join(ROOT, 'e2e/orms/package.json'), join(project, 'package.json'));
  const ours = [await pack('contract', project), await pack('server', project)];
  const tarballs = ours.map((tarball) => `./${tarball}`);
  await mustRun('npm', ['install', '--no-save', ...UNLOCKED_INSTALL, ...tarballs]);
}, PATIENT_MS);

afterEach(() => database.drop());

afterAll(() => rmSync(project, { recursive: true, force: true }), PATIENT_MS);

const PLACED = { sku: 'honey', amount: '92.50', owner: 'ada', idempotencyKey: 'key-1' };
const UNSOLD = { ...PLACED, sku: 'gold', idempotencyKey: 'key-2' }; // fails at the commit
const UNPRICED = { ...PLACED, amount: 'nothing', idempotencyKey: 'key-3' }; // fails in create
const AT_A_NEW_PRICE = { ...PLACED, amount: '95.00' };
const OTHER_GOODS = { ...PLACED, sku: 'tea' }; // fails in create: the key has an order

describe.skipIf(POSTGRES_IS_MISSING)('on PostgreSQL, the adapter of the page for', () => {
  test.each(['drizzle', 'prisma', 'knex', 'typeorm', 'sequelize'])(
    'the adapter of %s on PostgreSQL stores an order that is sent twice once, with its payment, and after a rollback neither',
    { timeout: PATIENT_MS },
    async (library) => {
      if (library === 'prisma') await generatePrismaClient();

      await expectTogether('postgres', library);
    },
  );
});

describe('on SQLite, the adapter of the page for', () => {
  test.each(['better-sqlite3', 'node-sqlite'])(
    'the adapter of %s on SQLite stores an order that is sent twice once, with its payment, and after a rollback neither',
    { timeout: PATIENT_MS },
    (library) => expectTogether('sqlite', library),
  );

  test('the adapter of better-sqlite3 stores two orders if the page sends two without a key', async () => {
    await openDatabase('sqlite');
    const { idempotencyKey: _, ...keyless } = PLACED;

    const [one, two] = await placeOrders('better-sqlite3', [keyless, keyless]);

    expect(two).not.toBe(one);
    expect((await readStored()).orders).toHaveLength(2);
  });
});

describe.skipIf(POSTGRES_IS_MISSING)('an order that is committed without the payment', () => {
  test('an order that is committed without its payment gets one, however often it is placed and although a process ended in between', async () => {
    const saveOnly = `
      import { saveOrder } from './orders.js';
      import { toId } from './payments.js';
      export const placeOrder = (order) => saveOrder({ id: toId(order), sku: order.sku });`;
    writeFileSync(join(project, 'save-only.js'), saveOnly);
    writeFileSync(join(project, 'orders.js'), ORDERS);
    await openDatabase('postgres');
    await placeOrders('save-only', [PLACED]);

    const placed = await placeOrders('after-commit', [PLACED, PLACED]);

    await expectOneOrder();
    expect(new Set(placed).size).toBe(1);
  });

  test('an order that is committed without its payment leaves that behind if it is rolled back', async () => {
    await openDatabase('postgres');
    new MarkedPage('docs/orms.md', { ', { transaction: adapt(tx) }': '' }).write(
      project,
      'drizzle.js',
      'no-transaction.js',
    );

    expect(await placeOrders('no-transaction', [UNSOLD])).toEqual(['failed']);

    const { orders, payments } = await readStored();
    expect(orders).toEqual([]);
    expect(payments).toHaveLength(1);
  });
});

describe.skipIf(POSTGRES_IS_MISSING)('the page', () => expectEveryBlockRun(['docs/orms.md']));

async function expectTogether(kind: 'sqlite' | 'postgres', library: string): Promise<void> {
  await openDatabase(kind);

  const orders = [UNSOLD, PLACED, PLACED, AT_A_NEW_PRICE, OTHER_GOODS, UNPRICED];
  const placed = await placeOrders(library, orders);

  await expectOneOrder();
  const [{ reference }] = (await readRows<{ reference: string }>(
    database.url,
    'select reference from service_pay_payments',
  )) as [{ reference: string }];
  expect(placed).toEqual(['failed', reference, reference, reference, 'failed', 'failed']);
}

async function expectOneOrder(): Promise<void> {
  const { orders, payments } = await readStored();
  expect(orders).toHaveLength(1);
  expect(payments).toEqual(orders);
}

async function readStored() {
  const orders = await readRows<{ id: string }>(database.url, 'select id from orders');
  const payments = await readRows<{ data: string }>(
    database.url,
    'select data from service_pay_payments',
  );
  return {
    orders: orders.map(({ id }) => id),
    payments: payments.map(({ data }) => JSON.parse(data).orderId),
  };
}

async function openDatabase(kind: 'sqlite' | 'postgres'): Promise<void> {
  database = await makeDatabaseUrl(kind);
  await runScript(MAKE_TABLES[kind]);
}

/** Returns for each order the reference of its payment, or `failed`. */
async function placeOrders(name: string, orders: readonly object[]): Promise<string[]> {
  page.write(project, 'payments.js');
  if (!/^(?:save-only|no-transaction)$/.test(name)) page.write(project, `${name}.js`);
  const output = await runScript(`
    import { isDeepStrictEqual } from 'node:util';
    const { placeOrder } = await import('./${name}.js');
    const { payments } = await import('./payments.js');
    const placed = [];
    for (const order of ${JSON.stringify(orders)})
      try {
        const payment = await placeOrder(order);
        if (payment && !isDeepStrictEqual(payment, await payments.find(payment.reference, order)))
          throw new Error('The payment is not the one that is stored.');
        placed.push(payment?.reference);
      } catch (error) {
        console.log(error);
        placed.push('failed');
      }
    console.log('\\nplaced: ' + JSON.stringify(placed));
    process.exit();`);
  return JSON.parse(/^placed: (.*)$/m.exec(output)?.[1] ?? '[]');
}

async function runScript(script: string): Promise<string> {
  const { exitCode, output } = await runNode(['--input-type=module', '-e', script], {
    cwd: project,
    quiet: true,
    env: {
      DATABASE_URL: database.url,
      SERVICE_PAY_API_URL: 'http://127.0.0.1:9',
      SERVICE_PAY_API_TOKEN: 'sec_sandbox_demo',
      SERVICE_PAY_PUBLIC_KEY: 'pub_sandbox_demo',
    },
  });
  expect(exitCode, output).toBe(0);
  return output;
}

/** Its command would download the engine of its migrations, which generating does not start. */
async function generatePrismaClient(): Promise<void> {
  mkdirSync(project, { recursive: true });
  page.write(project, 'schema.prisma');
  await mustRun('sh', ['-c', page.command('prisma')], {
    PRISMA_SCHEMA_ENGINE_BINARY: process.execPath,
    CHECKPOINT_DISABLE: '1',
  });
}

async function mustRun(program: string, args: string[], env = {}): Promise<void> {
  const { exitCode, output } = await runProgram(program, args, { cwd: project, quiet: true, env });
  expect(exitCode, output).toBe(0);
}

const TABLES = `
  create table products (sku text primary key);
  insert into products values ('honey'), ('tea');
  ${new MarkedPage('docs/orms.md', {
    'sku text not null': 'sku text not null references products deferrable initially deferred',
  }).example('orders')}`;

const MAKE_TABLES = {
  postgres: `
    import pg from 'pg';
    const client = new pg.Client({ connectionString: process.env.DATABASE_URL });
    await client.connect();
    await client.query(${JSON.stringify(TABLES)});
    await client.end();`,
  sqlite: `
    import SqliteFile from 'better-sqlite3';
    new SqliteFile(process.env.DATABASE_URL.slice('file:'.length)).exec(${JSON.stringify(TABLES)});`,
};

const ORDERS = `
import pg from 'pg';
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL });
export const saveOrder = async ({ id, sku }) => {
  await pool.query('insert into orders values ($1, $2) on conflict do nothing', [id, sku]);
};
`;
