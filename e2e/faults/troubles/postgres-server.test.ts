import { chmod, chown, copyFile, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createPayments, type PaymentsError } from '@service-pay/server';
import type { TestDatabase } from '@service-pay/server/testing';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  makeOwnPostgresDatabase,
  OWN_POSTGRES_IS_MISSING,
} from '../../../scripts/test/test-postgres.ts';
import { PATIENT } from '../../lab/patience.ts';

let home: TestDatabase;
let admin: pg.Client;
let takeBack: () => Promise<void>;

const start = (database = home.url) =>
  createPayments({
    apiUrl: 'http://localhost:9',
    apiToken: 'sec_sandbox_demo',
    publicKey: 'pub_sandbox_demo',
    database,
    fulfil: async () => {},
    log: { info() {}, warn() {}, error() {} },
  });

const rejection = (url?: string) => start(url).catch((error: unknown) => error as PaymentsError);

describe.skipIf(OWN_POSTGRES_IS_MISSING)('a PostgreSQL server', () => {
  beforeEach(async () => {
    takeBack = async () => {};
    home = await makeOwnPostgresDatabase();
    admin = new pg.Client({ connectionString: home.url });
    await admin.connect();
  });

  afterEach(async () => {
    await takeBack();
    await admin.end();
    await home.drop();
  });

  test('a PostgreSQL server is verified with the certificates read at startup, even if their files are gone (T105, F8)', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tls-'));
    const authority = join(folder, 'authority.pem');
    await copyFile(pemOf('authority'), authority);
    await enableTls();
    const proven = (host: string, file: string) =>
      Object.assign(new URL(home.url), {
        hostname: host,
        search: `sslmode=verify-full&sslrootcert=${file}`,
      }).href;

    const payments = await start(proven('localhost', authority));
    await rm(folder, { recursive: true });
    await payments.health();

    const connections = await admin.query(
      "select distinct ssl from pg_stat_ssl join pg_stat_activity using (pid) where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()",
    );
    expect(connections.rows).toEqual([{ ssl: true }]);
    expect(await rejection(proven('127.0.0.1', pemOf('authority')))).toMatchObject({
      message: /does not match certificate's altnames/,
    });
    expect(await rejection(proven('localhost', pemOf('self-signed')))).toMatchObject({
      message: /unable to verify|self-signed/,
    });
    expect(await rejection(proven('localhost', authority))).toMatchObject({ message: /ENOENT/ });
    await payments.close();
  });

  test.each([
    ['fsync', /fsync must be on, or a paid order could be lost with the power/],
    ['full_page_writes', /full_page_writes must be on, or a loss of power could damage it/],
  ])(
    'a PostgreSQL server that runs without %s is rejected with a message, and its database stays unchanged (T109)',
    async (setting, reason) => {
      await change({ [setting]: 'off' });

      const error = (await rejection()) as Error;

      expect(error).toMatchObject({ code: 'unavailable', message: reason });
      expect(error.message).toMatch(
        /^The PostgreSQL database cannot be used: .+ It was left as it is\. Check its address\.$/,
      );
      expect(
        (await admin.query("select 1 from pg_class where relnamespace = 'public'::regnamespace"))
          .rows,
      ).toEqual([]);
    },
  );
});

const pemOf = (name: string) =>
  fileURLToPath(new URL(`../../../server/test/data/tls/${name}.pem`, import.meta.url));

async function enableTls(): Promise<void> {
  const { data_directory } = (await admin.query('show data_directory')).rows[0];
  const key = join(dirname(data_directory), 'key.pem');
  const { uid, gid } = await stat(data_directory);
  await copyFile(pemOf('key'), key);
  await chmod(key, 0o600);
  await chown(key, uid, gid); // the server takes no key that others may read
  await change({ ssl: 'on', ssl_key_file: key, ssl_cert_file: pemOf('sound') });
}

async function change(settings: Record<string, string>): Promise<void> {
  const names = Object.keys(settings);
  const before = await read();
  for (const name of names) await admin.query(`alter system set ${name} = '${settings[name]}'`);
  await reload(settings);
  takeBack = async () => {
    for (const name of names) await admin.query(`alter system reset ${name}`);
    await reload(before);
  };

  async function read(): Promise<Record<string, string>> {
    const { rows } = await admin.query(
      'select name, setting from pg_settings where name = any($1)',
      [names],
    );
    return Object.fromEntries(rows.map(({ name, setting }) => [name, setting]));
  }

  async function reload(wanted: Record<string, string>): Promise<void> {
    await admin.query('select pg_reload_conf()');
    await vi.waitFor(async () => expect(await read()).toEqual(wanted), PATIENT);
  }
}
