import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { runCommandIn } from '../../test/command.ts';
import { PATIENT_PAYMENTS } from '../../test/patience.ts';
import { createPayments, type Payments } from '../create-payments.ts';
import { makeDatabaseUrl, POSTGRES_IS_MISSING, type TestDatabase } from '../testing/databases.ts';
import { TOKEN } from '../testing/upstream.ts';

const SERVICE = 'http://127.0.0.1:9';
const ORDER = { amount: '92.50', currency: 'ZMW', owner: 'mary', data: { sku: 'honey' } };
const NOT_PERMITTED = '42501';

let home: TestDatabase;
let admin: pg.Client;
let names: Record<'web' | 'member' | 'support' | 'backup' | 'app' | 'owner', string>;
let lines: { fields: Record<string, unknown>; message: string }[];

const urlAs = (role: string) =>
  Object.assign(new URL(home.url), { username: role, password: 'x' }).href;

function openShop(database: string | pg.Pool = home.url): Promise<Payments> {
  const log = (level: string) => (fields: object, message: string) =>
    void (level === 'warn' && lines.push({ fields: fields as Record<string, unknown>, message }));
  return createPayments({
    apiUrl: SERVICE,
    apiToken: TOKEN,
    publicKey: 'pub_sandbox_demo',
    database,
    background: false,
    fulfil: async () => {},
    log: { info: log('info'), warn: log('warn'), error: log('error') },
    ...PATIENT_PAYMENTS,
  });
}

async function startOnce(database = home.url): Promise<void> {
  const payments = await openShop(database);
  await payments.create(ORDER);
  await payments.close();
}

/** Runs statements as a role, and returns the code of each error or how many rows it read. */
async function tryAll(role: string, statements: string[]): Promise<(string | number)[]> {
  const client = new pg.Client({ connectionString: urlAs(role) });
  await client.connect();
  const results: (string | number)[] = [];
  for (const statement of statements)
    results.push(
      await client.query(statement).then(
        ({ rowCount }) => rowCount ?? 0,
        ({ code }: { code: string }) => code,
      ),
    );
  await client.end();
  return results;
}

const tryAs = async (role: string, statement: string) => (await tryAll(role, [statement]))[0];

async function listRelations(): Promise<string[]> {
  const { rows } = await admin.query<{ relname: string }>(
    `select relname from pg_class where relkind in ('r', 'v')
      and relnamespace = 'public'::regnamespace order by relname`,
  );
  return rows.map(({ relname }) => relname);
}

/** Returns what a role could read or write of any table and the view. */
async function findOpen(role: string): Promise<unknown[]> {
  const statements = ["update service_pay_payments set state = 'paid'"];
  for (const name of await listRelations()) {
    statements.push(`select * from ${name}`);
    if (name === 'service_pay_orders') continue; // a view takes no writes of anybody
    statements.push(
      `insert into ${name} default values`,
      `delete from ${name}`,
      `truncate ${name}`,
    );
  }
  const results = await tryAll(role, statements);
  return statements.flatMap((statement, at) =>
    results[at] === NOT_PERMITTED ? [] : [[statement, results[at]]],
  );
}

describe.skipIf(POSTGRES_IS_MISSING)('tables on a PostgreSQL that others use, too', () => {
  beforeEach(async () => {
    home = await makeDatabaseUrl('postgres');
    admin = new pg.Client({ connectionString: home.url });
    await admin.connect();
    lines = [];
    const id = randomUUID().slice(0, 8);
    const roles = ['web', 'member', 'support', 'backup', 'app', 'owner'] as const;
    names = Object.fromEntries(roles.map((role) => [role, `${role}-${id}`])) as typeof names;
    for (const name of Object.values(names))
      await admin.query(`create role "${name}" login password 'x'`);
    await admin.query(`grant "${names.web}" to "${names.member}"`);
  });

  afterEach(async () => {
    for (const name of Object.values(names))
      await admin.query(`drop owned by "${name}" cascade; drop role "${name}"`);
    await admin.end();
    await home.drop();
  });

  const serveByDefault = () =>
    admin.query(`
      grant usage on schema public to "${names.web}";
      alter default privileges in schema public grant all on tables to "${names.web}" with grant option;
      alter default privileges grant select, insert on tables to public`);

  test('tables on a shared PostgreSQL give nothing to roles that default privileges serve, their members and PUBLIC (T148)', async () => {
    await serveByDefault();
    await startOnce();

    for (const role of [names.web, names.member, names.support])
      expect(await findOpen(role)).toEqual([]);
    expect((await listRelations()).length).toBeGreaterThan(6);
    expect(lines).toEqual([]);
  });

  test('tables on a shared PostgreSQL give nothing to those roles after move-database (T148)', async () => {
    const file = await makeDatabaseUrl('sqlite');
    await startOnce(file.url);
    await serveByDefault();

    const moved = await runCommandIn({ DATABASE_URL: home.url }, 'move-database', [file.url]);

    expect(moved).toMatchObject({ code: 0, stdout: expect.stringContaining('payments: 1\n') });
    expect(await findOpen(names.web)).toEqual([]);
    await file.drop();
  });

  test('tables on a shared PostgreSQL keep the rights that somebody granted: a reader of the view, a user for backups (T148)', async () => {
    await startOnce();
    await admin.query(`
      grant select on service_pay_orders to "${names.support}";
      grant select on all tables in schema public to "${names.backup}"`);

    await startOnce();

    expect(await tryAs(names.support, 'select * from service_pay_orders')).toBe(2);
    expect(await tryAs(names.support, 'select * from service_pay_payments')).toBe(NOT_PERMITTED);
    const reads = (await listRelations()).map((name) => `select * from ${name}`);
    expect(await tryAll(names.backup, reads)).toEqual(reads.map(() => expect.any(Number)));
  });

  test('tables on a shared PostgreSQL that are open to others are named by one line at start, with the statements that close them (T148)', async () => {
    await startOnce();
    await serveByDefault();
    await admin.query(`
      grant all on service_pay_payments, service_pay_orders to "${names.web}" with grant option;
      grant select (last_error) on service_pay_fulfilments to "${names.backup}";
      grant select on service_pay_decisions to public;
      grant select on service_pay_orders to "${names.support}"`);
    await admin.query(
      `set role "${names.web}"; grant select on service_pay_payments to "${names.app}"; reset role`,
    );

    await startOnce();

    const { app, backup, web, member } = names;
    expect(lines).toEqual([
      {
        message: 'other roles can read or write the tables',
        fields: {
          roles: [...[app, backup, web].map(quoted), 'public', quoted(member)],
          fix: expect.stringMatching(/^as shop, run: revoke all on .+ cascade;$/),
        },
      },
    ]);
    await admin.query(String(lines[0]!.fields.fix).replace('as shop, run: ', ''));
    for (const role of [names.web, names.member, names.app, names.backup])
      expect(await findOpen(role)).toEqual([]);
    expect(await tryAs(names.support, 'select * from service_pay_orders')).toBe(2);
    lines = [];
    await startOnce();
    expect(lines).toEqual([]);
  });

  test('tables on a shared PostgreSQL that are open to others are closed to each by a statement of its own, so that a user of the shop keeps its rights (T148)', async () => {
    await startOnce();
    await runCommandIn({ DATABASE_URL: home.url }, 'migrate', ['--grant-to', names.app]);
    await serveByDefault();
    await admin.query(`grant all on all tables in schema public to "${names.web}"`);

    lines = [];
    await startOnce();

    const statements = String(lines[0]!.fields.fix).replace('as shop, run: ', '').split('; ');
    await admin.query(statements.find((one) => one.includes(`from ${quoted(names.web)}`))!);
    expect(await findOpen(names.web)).toEqual([]);
    await startOnce(urlAs(names.app));
  });

  test('tables on a shared PostgreSQL name no superuser, no member of the owner, no user of the shop itself, and nobody who cannot use the schema', async () => {
    await admin.query(`
      alter role "${names.backup}" superuser;
      grant usage, create on schema public to "${names.owner}";
      grant "${names.owner}" to "${names.member}"`);
    await startOnce(urlAs(names.owner));
    await admin.query(`
      revoke usage on schema public from public;
      grant usage on schema public to "${names.support}", "${names.member}";
      grant all on all tables in schema public to "${names.web}", "${names.backup}", "${names.member}", "${names.support}";
      grant "${names.support}" to "${names.app}"`);

    for (const user of [names.owner, names.member]) {
      lines = [];
      await startOnce(urlAs(user));
      expect(lines).toMatchObject([{ fields: { roles: [names.support, names.app].map(quoted) } }]);
    }
    lines = [];
    await startOnce(urlAs(names.app)); // which has its rights through that role
    expect(lines).toEqual([]);
  });
});

const quoted = (role: string) => `"${role}"`;
