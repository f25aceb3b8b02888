import pg from 'pg';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Environments, ORDER } from '../../test/environments.ts';
import { POSTGRES_IS_MISSING } from '../testing/databases.ts';

const OPTIONS = '-c search_path=preview';

describe.skipIf(POSTGRES_IS_MISSING)('a schema of its own on a PostgreSQL (T149)', () => {
  let environments: Environments;
  let admin: pg.Client;
  let url: string;

  beforeEach(async () => {
    environments = await Environments.make('postgres');
    ({ url } = environments.home);
    admin = new pg.Client({ connectionString: url });
    await admin.connect();
  });

  afterEach(async () => {
    await admin.end();
    await environments.close();
  });

  test('a schema of its own on a PostgreSQL gives a preview its own orders, at the address that the error says', async () => {
    const reference = await environments.openProduction();
    const { message } = (await environments.open().catch((error: Error) => error)) as Error;
    const [, statement, end] = / (create schema \w+;) then end the address in (\S+)\. /.exec(
      message,
    )!;
    const database = url + end;

    await expect(environments.open({ database })).rejects.toThrow(/create schema <schema>/);
    await admin.query(statement!);
    const preview = await environments.open({ database });

    const { shown } = await preview.confirm((await preview.create(ORDER)).reference, ORDER);
    expect(shown.status).toBe('successful');
    await expect(preview.find(reference, ORDER)).rejects.toMatchObject({ code: 'order_not_found' });
    const payments = 'select * from public.service_pay_payments';
    expect((await admin.query(payments)).rows).toMatchObject([{ reference }]);
  });

  test('a schema of its own on a PostgreSQL gives a preview its own orders by the search_path of a Pool, or of its user', async () => {
    await environments.openProduction();
    const user = `preview_${Date.now()}`;
    await admin.query(`create role ${user} login password 'x';
      alter role ${user} set search_path = preview;
      create schema preview authorization ${user}`);
    const byUser = Object.assign(new URL(url), { username: user, password: 'x' }).href;

    await (await environments.open({ database: byUser, background: false })).close();
    await admin.query(`drop owned by ${user}; drop role ${user}; create schema preview`);
    const pool = new pg.Pool({ connectionString: url, options: OPTIONS });
    await (await environments.open({ database: pool, background: false })).close();
    await pool.end();

    const own = 'select * from preview.service_pay_environments';
    expect((await admin.query(own)).rows).toMatchObject([{ public_key: 'pub_test' }]);
  });

  test.each([
    ['an address', '', `end the address in ?options=${encodeURIComponent(OPTIONS)}.`],
    [
      'an address with a parameter',
      '?sslmode=disable',
      `end the address in &options=${encodeURIComponent(OPTIONS)}.`,
    ],
    [
      'an address with options',
      '?options=-c%20jit%3Doff',
      'set search_path=preview in the options of the address.',
    ],
    ['a Pool', 'pool', `give the Pool options: '${OPTIONS}'.`],
  ])('a schema of its own on a PostgreSQL is explained for %s', async (_what, end, advice) => {
    await environments.openProduction();
    const pool = new pg.Pool({ connectionString: url });
    const database = end === 'pool' ? pool : url + end;

    await expect(environments.open({ database })).rejects.toThrow(advice);
    await pool.end();
  });
});
