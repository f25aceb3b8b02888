import { type AddressInfo, createServer } from 'node:net';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeDatabaseUrl, POSTGRES_IS_MISSING, type TestDatabase } from '../testing/databases.ts';
import { openDatabase } from './open.ts';
import { findOpenAdvice } from './open-advice.ts';

const messageOf = (url: string, options = {}) =>
  openDatabase(url, options).then(
    () => expect.unreachable('it opened'),
    ({ message }: Error) => message,
  );

describe.skipIf(POSTGRES_IS_MISSING)('a PostgreSQL that cannot be opened', () => {
  let home: TestDatabase;
  let admin: pg.Client;
  let user: string;

  beforeAll(async () => {
    home = await makeDatabaseUrl('postgres');
    admin = new pg.Client({ connectionString: home.url });
    await admin.connect();
    user = new URL(home.url).pathname.slice(1).replace('shop_', 'user_');
    await admin.query(`create role ${user} login password 'of-this-user'`);
    await admin.query('revoke create on schema public from public'); // as of PostgreSQL 15
  });

  afterAll(async () => {
    await admin.query(`drop owned by ${user}; drop role ${user}`);
    await admin.end();
    await home.drop();
  });

  const change = (members: Partial<URL>) => Object.assign(new URL(home.url), members).href;
  const asUser = () => change({ username: user, password: 'of-this-user' });

  test('a PostgreSQL that cannot be opened names the grant that a user without rights on the schema needs, and opens with it (T133)', async () => {
    expect(await messageOf(asUser())).toBe(
      'The PostgreSQL database cannot be used: permission denied for schema public. It was left as it is. As its owner, run: grant usage, create on schema public to <user>; Or let another user own the tables. With the address of the user who owns the tables, run: npx --no -- service-pay migrate --grant-to <user>',
    );

    await admin.query(`grant usage, create on schema public to ${user}`);
    await (await openDatabase(asUser())).close();
    await admin.query(`drop owned by ${user}`);
  });

  test('a PostgreSQL that cannot be opened says so if the tables belong to another user (T133)', async () => {
    await (await openDatabase(home.url)).close();
    await admin.query(`grant usage, create on schema public to ${user}`);

    expect(await messageOf(asUser())).toMatch(/permission denied for table .* belong to another/);
  });

  test('a PostgreSQL that cannot be opened names the user, the missing database, the limit of connections and TLS (T133)', async () => {
    const { rows } = await admin.query('select current_database() as name');
    expect(await messageOf(change({ password: 'wrong' }))).toContain('Check user and password');
    expect(await messageOf(change({ pathname: '/nowhere' }))).toContain('create database');
    expect(await messageOf(change({ search: '?sslmode=verify-full' }))).toContain('Turn TLS on');
    await admin.query(`alter role ${user} connection limit 0`);
    expect(await messageOf(asUser())).toContain('uses up to ten');
    await admin.query(`alter role ${user} connection limit -1`);
    await admin.query(`revoke connect on database ${rows[0].name} from public`);
    expect(await messageOf(asUser())).toContain('grant connect on database');
  });

  test.each([
    ['two hosts with ports', (url: URL) => url.href.replace(url.host, `${url.host},127.0.0.1:1`)],
    ['two hosts', (url: URL) => url.href.replace(url.host, 'db1.example,db2.example')],
    ['two hosts in a parameter', (url: URL) => `${url.href}?host=db1.example,db2.example`],
  ])(
    'a PostgreSQL that cannot be opened says that an address with %s must name one, and which',
    async (_what, write) => {
      expect(await messageOf(write(new URL(home.url)))).toMatch(
        /its address names several hosts\. .* Name the one host that leads to the primary, also after/,
      );
    },
  );

  test.each(['schema', 'currentSchema', 'search_path'])(
    'a PostgreSQL that cannot be opened rejects an address whose %s PostgreSQL does not read before a table is in another schema, and says what works',
    async (name) => {
      await admin.query('create schema if not exists elsewhere');
      const before = await listTables();

      const message = await messageOf(`${home.url}?${name}=elsewhere`);

      expect(message).toMatch(
        new RegExp(`its address has ${name}=elsewhere, which .* would be in the schema public\\. `),
      );
      expect(await listTables()).toEqual(before);
      const [, end = ''] = / end the address in (\S+)\.$/.exec(message) ?? [];
      await (await openDatabase(`${home.url}?${name}=elsewhere${end}`)).close();
      expect(await listTables('elsewhere')).toContain('service_pay_payments');
      await admin.query('drop schema elsewhere cascade');
    },
  );

  test('a PostgreSQL that cannot be opened takes an address whose schema is the one that PostgreSQL uses anyway', async () => {
    await (await openDatabase(`${home.url}?schema=public`)).close();
  });

  const listTables = async (schema = 'public') => {
    const statement = `select tablename as name from pg_tables where schemaname = '${schema}'`;
    const { rows } = await admin.query<{ name: string }>(statement);
    return rows.map(({ name }) => name).sort();
  };

  test('a PostgreSQL that cannot be opened keeps the advice of a command, with its own before it (T133)', async () => {
    const options = { isThere: true, todo: 'Nothing was changed.' };

    expect(await messageOf(change({ pathname: '/nowhere' }), options)).toMatch(
      /^The PostgreSQL database nowhere on .* does not exist\. Create it .* Nothing was changed\.$/,
    );
  });
});

test('a pooler that rejects a parameter of the address is named, with what to do (T133)', async () => {
  const pooler = createServer((socket) => {
    // as PgBouncer responds to a startup message
    socket.once('data', () => {
      const fields =
        'SFATAL\0VFATAL\0C08P01\0Munsupported startup parameter: statement_timeout\0\0';
      const head = Buffer.alloc(5);
      head.write('E');
      head.writeInt32BE(4 + fields.length, 1);
      socket.end(Buffer.concat([head, Buffer.from(fields)]));
    });
  });
  await new Promise<void>((resolve) => pooler.listen(0, '127.0.0.1', resolve));
  const { port } = pooler.address() as AddressInfo;

  const message = await messageOf(`postgres://shop@127.0.0.1:${port}/shop`);
  pooler.close();

  expect(message).toContain('unsupported startup parameter: statement_timeout');
  expect(message).toMatch(/PgBouncer is in between: take this parameter out of the address/);
});

test.each([
  [
    'SELF_SIGNED_CERT_IN_CHAIN',
    'self-signed certificate in certificate chain',
    'NODE_EXTRA_CA_CERTS',
  ],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'self-signed certificate', 'NODE_EXTRA_CA_CERTS'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'unable to verify', 'NODE_EXTRA_CA_CERTS'],
  ['CERT_HAS_EXPIRED', 'certificate has expired', 'Renew the certificate'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', "IP does not match certificate's altnames", 'host name'],
  ['28000', 'no pg_hba.conf entry for host "::1", no encryption', 'sslmode=verify-full'],
  ['57P03', 'the database system is starting up', 'Try again'],
])('the advice for %s names its cure (T133)', (code, message, cure) => {
  expect(findOpenAdvice(Object.assign(new Error(message), { code }))).toContain(cure);
});

test('there is no advice beyond the address for an error that says nothing more', () => {
  expect(findOpenAdvice(new Error('connect ECONNREFUSED 127.0.0.1:1'))).toBeUndefined();
});
