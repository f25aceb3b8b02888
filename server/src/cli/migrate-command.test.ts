import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { runCommandIn } from '../../test/command.ts';
import { buildTestLog } from '../../test/parts.ts';
import { PATIENT_PAYMENTS } from '../../test/patience.ts';
import { createPayments } from '../create-payments.ts';
import {
  DATABASES,
  makeDatabaseUrl,
  POSTGRES_IS_MISSING,
  readRows,
  type TestDatabase,
} from '../testing/databases.ts';
import { collectionResponse, startUpstream, TOKEN } from '../testing/upstream.ts';

let home: TestDatabase;

const migrate = (words: string[] = [], url = home.url) =>
  runCommandIn({ DATABASE_URL: url }, 'migrate', words);

describe.skipIf(POSTGRES_IS_MISSING)('service-pay migrate on a PostgreSQL', () => {
  let admin: pg.Client;
  let app: string;

  beforeEach(async () => {
    home = await makeDatabaseUrl('postgres');
    admin = new pg.Client({ connectionString: home.url });
    await admin.connect();
    app = `app-${randomUUID().slice(0, 8)}`;
    await admin.query(`create role "${app}" login password 'x'`);
    await admin.query('revoke all on schema public from public');
  });

  afterEach(async () => {
    await admin.query(`drop owned by "${app}" cascade; drop role "${app}"`);
    await admin.end();
    await home.drop();
  });

  const urlOfApp = () => Object.assign(new URL(home.url), { username: app, password: 'x' }).href;

  /** Takes an order, confirms and fulfils it, and tidies up, as the user without rights to create. */
  async function runShopAsApp(): Promise<void> {
    const service = await startUpstream((req, res) => res.end(collectionResponse(req.url!)));
    const fulfilled: string[] = [];
    const payments = await createPayments({
      apiUrl: service.url,
      apiToken: TOKEN,
      publicKey: 'pub_sandbox_demo',
      database: urlOfApp(),
      background: false,
      fulfil: async ({ reference }) => void fulfilled.push(reference),
      log: buildTestLog(),
      ...PATIENT_PAYMENTS,
    });
    const order = { amount: '92.50', currency: 'ZMW', owner: 'ann', data: {} };
    const { reference } = await payments.create({ ...order, idempotencyKey: 'k' });
    await payments.confirm(reference, order);
    await payments.work();
    await payments.health();
    await payments.close();
    await service.close();
    expect(fulfilled).toEqual([reference]);
  }

  test('service-pay migrate on a PostgreSQL lets a user who may not create anything run a shop on the tables of another, with --grant-to', async () => {
    await expect(runShopAsApp()).rejects.toThrow(
      /no schema has been selected to create in.*npx --no -- service-pay migrate --grant-to <user>$/,
    );

    const ended = await migrate(['--grant-to', app]);

    expect(ended).toEqual({
      code: 0,
      stdout: expect.stringMatching(
        /^Applied: 0007-own-tables, .+\. The tables are up to date\.\nThe role app-\w+ has the rights .+\n\nWritten to the PostgreSQL database shop_/,
      ),
      stderr: '',
    });
    await runShopAsApp();
    const commands = await runCommandIn({ DATABASE_URL: urlOfApp() }, 'orders', ['find', 'ann']);
    expect(commands).toMatchObject({ code: 0, stdout: expect.stringContaining('paid') });
  });

  test('service-pay migrate on a PostgreSQL grants the rights on new tables, too, when it is run again', async () => {
    await migrate(['--grant-to', app]);
    await admin.query(`
      drop table if exists service_pay_decisions, service_pay_environments;
      drop view service_pay_orders;
      drop index service_pay_payments_by_age;
      delete from service_pay_migrations where name >= '0010'`);
    await expect(runShopAsApp()).rejects.toThrow(/migrate --grant-to <user>$/);

    await migrate(['--grant-to', app]);

    await runShopAsApp();
  });

  test('service-pay migrate on a PostgreSQL prints the statements without --grant-to, and they suffice', async () => {
    const { stdout } = await migrate();
    const again = await migrate();
    const statements = stdout.match(/^grant .+;$/gm) ?? [];

    expect(statements).toHaveLength(3);
    expect(again.stdout).toBe(stdout.replace(/^Applied: .*?\. /, 'There was nothing to do. '));
    for (const statement of statements) await admin.query(statement.replace('<role>', `"${app}"`));
    await runShopAsApp();
  });

  test('service-pay migrate on a PostgreSQL changes nothing if the role is not there, or the rights are not its to grant', async () => {
    const misspelt = await migrate(['--grant-to', 'nobody-of-this-name']);

    expect(misspelt).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(
        /it has no role "nobody-of-this-name"\. It was left as it is\./,
      ),
    });
    expect(
      await readRows(home.url, "select 1 from pg_class where relname like 'service_pay_%'"),
    ).toEqual([]);
    await migrate(['--grant-to', app]);
    const other = `${app}-2`;
    await admin.query(`create role "${other}"; grant usage on schema public to "${other}"`);
    expect(await migrate(['--grant-to', other], urlOfApp())).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/not all rights could be granted\. It was left as it is\./),
    });
    expect(
      await readRows(
        home.url,
        "select has_table_privilege(?, 'service_pay_orders', 'select') as can",
        [other],
      ),
    ).toEqual([{ can: false }]);
    await admin.query(`drop owned by "${other}" cascade; drop role "${other}"`);
  });
});

describe.each(DATABASES)('service-pay migrate on %s', (kind) => {
  test('service-pay migrate brings the tables up to date, and leaves a database alone that needs nothing', async () => {
    home = await makeDatabaseUrl(kind);

    const first = await migrate();
    const second = await migrate();

    expect(first).toMatchObject({ code: 0, stderr: '' });
    expect(first.stdout).toMatch(/^Applied: 0007-own-tables, .+\. The tables are up to date\./);
    expect(second.stdout).toMatch(/^There was nothing to do\. The tables are up to date\./);
    await home.drop();
  });
});

test.each([
  [['--grant-to', ''], /^Usage: npx --no -- service-pay migrate/],
  [['now'], /^Usage: npx --no -- service-pay migrate/],
  [['--grant-to', 'app'], /^--grant-to works with PostgreSQL only\.\n$/],
])('service-pay migrate rejects %j for a file with a sentence', async (words, sentence) => {
  home = await makeDatabaseUrl('sqlite');

  expect(await migrate(words)).toEqual({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(sentence),
  });
  await home.drop();
});
