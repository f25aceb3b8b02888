import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Sandbox, startSandbox } from '@service-pay/sandbox';
import { makeDatabaseUrl } from '@service-pay/server/testing';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { findFreePort } from '../../../scripts/programs/server-program.ts';
import { findProgram } from '../../lab/find-program.ts';
import { PATIENT } from '../../lab/patience.ts';
import { startTestShop, type TestBrowser, type TestShop } from '../shop.ts';

const PAGE = readFileSync(
  fileURLToPath(new URL('../../../bff-example/operate/README.md', import.meta.url)),
  'utf8',
);

const sqlite3 = findProgram('sqlite3', '--version');

const INSTALLED_AT = '/usr/lib/postgresql';
const [newest] = existsSync(INSTALLED_AT)
  ? readdirSync(INSTALLED_AT).sort((one, other) => Number(other) - Number(one))
  : [];
const programs = newest && join(INSTALLED_AT, newest, 'bin');
const hasPostgres =
  programs !== undefined &&
  ['initdb', 'postgres', 'pg_dump', 'pg_restore'].every((name) => existsSync(join(programs, name)));

const NOBODY = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

// Programs are started, and a PostgreSQL of its own: that takes its time on a busy machine.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

let sandbox: Sandbox;
let folder: string;

beforeAll(async () => {
  sandbox = await startSandbox();
  folder = mkdtempSync(join(tmpdir(), 'backup-'));
});

afterAll(async () => {
  await sandbox.close();
  rmSync(folder, { recursive: true });
});

describe.skipIf(!sqlite3)(
  'the backup of SQLite that the page names (skipped where sqlite3 is not installed)',
  () => {
    test('a backup of SQLite taken while orders come in is a shop that goes on', async () => {
      const made = await makeDatabaseUrl('sqlite');
      const shop = await startTestShop(sandbox.url, {}, { DATABASE_URL: made.url });
      const { browser, paid, open } = await sell(shop);
      const [command = ''] = commandsOf('sqlite backup');
      const copy = join(folder, 'shop.db');

      const ordering = Promise.all(Array.from({ length: 20 }, () => shop.browser().order()));
      run(
        command
          .replace('.data/shop.db', made.url.slice('file:'.length))
          .replace('/backup/shop.db', copy),
      );
      await ordering;
      await shop.close();
      await made.drop();

      await expectToGoOn(`file:${copy}`, { browser, paid, open });
    });
  },
);

describe.skipIf(!hasPostgres)(
  'the backup of PostgreSQL that the page names (skipped where Debian has no postgresql)',
  () => {
    let serverUrl: string;
    let stop: () => Promise<void>;

    beforeAll(async () => {
      ({ serverUrl, stop } = await startInstalledPostgres());
    });

    afterAll(() => stop?.());

    test('a backup of PostgreSQL taken while the shop runs is a shop that goes on', async () => {
      await makeDatabases('before', 'after');
      const shop = await startTestShop(sandbox.url, {}, { DATABASE_URL: `${serverUrl}/before` });
      const { browser, paid, open } = await sell(shop);
      const [dump = '', restore = ''] = commandsOf('postgres backup');
      const copy = join(folder, 'shop.dump');

      run(dump.replace('/backup/shop.dump', copy), { DATABASE_URL: `${serverUrl}/before` });
      await shop.close();
      run(restore.replace('/backup/shop.dump', copy), { DATABASE_URL: `${serverUrl}/after` });

      await expectToGoOn(`${serverUrl}/after`, { browser, paid, open });
    });

    test('a backup of PostgreSQL proves a server over TLS by the authority that PGSSLROOTCERT names, of which none is known by itself', async () => {
      await makeDatabases('proven');
      await (await startTestShop(sandbox.url, {}, { DATABASE_URL: `${serverUrl}/proven` })).close();
      const [dump = ''] = commandsOf('postgres backup');
      const command = dump.replace('/backup/shop.dump', join(folder, 'proven.dump'));
      const { port } = new URL(serverUrl);
      const DATABASE_URL = `postgres://shop@localhost:${port}/proven?sslmode=verify-full`;

      expect(runFreely(command, { DATABASE_URL })).toMatchObject({
        status: 1,
        stderr: expect.stringContaining('root certificate file'),
      });
      run(command, { DATABASE_URL, PGSSLROOTCERT: pemOf('authority') });
    });

    test('a backup of PostgreSQL taken by a user who may only read belongs to its environment, and its shop names the roles that the new database lets in (T148, T149)', async () => {
      await makeDatabases('kept', 'restored');
      await runOn('postgres', 'create role keeper login; grant pg_read_all_data to keeper');
      await runOn('postgres', 'create role web login');
      for (const name of ['kept', 'restored'])
        await runOn(name, 'alter default privileges grant all on tables to web');
      const shop = await startTestShop(sandbox.url, {}, { DATABASE_URL: `${serverUrl}/kept` });
      const [dump = '', restore = ''] = commandsOf('postgres backup');
      const copy = join(folder, 'kept.dump');
      const asKeeper = `${serverUrl}/kept`.replace('shop@', 'keeper@');

      run(dump.replace('/backup/shop.dump', copy), { DATABASE_URL: asKeeper });
      run(restore.replace('/backup/shop.dump', copy), { DATABASE_URL: `${serverUrl}/restored` });
      const DATABASE_URL = `${serverUrl}/restored`;
      const preview = { DATABASE_URL, SERVICE_PAY_PUBLIC_KEY: 'pub_sandbox_other' };
      await expect(startTestShop(sandbox.url, {}, preview)).rejects.toThrow(
        /belongs to http:\/\/localhost with the public key pub_sandbox_demo, and not to/,
      );
      const restored = await startTestShop(sandbox.url, {}, { DATABASE_URL });

      const named = 'other roles can read or write the tables';
      expect(shop.lines.filter((line) => line.includes(named))).toEqual([]);
      const [line = ''] = restored.lines.filter((line) => line.includes(named));
      expect(JSON.parse(line)).toMatchObject({ roles: ['web'] });
      await Promise.all([shop.close(), restored.close()]);
    });

    async function makeDatabases(...names: string[]): Promise<void> {
      for (const name of names) await runOn('postgres', `create database ${name}`);
    }

    async function runOn(database: string, statement: string): Promise<void> {
      const client = new pg.Client({ connectionString: `${serverUrl}/${database}` });
      await client.connect();
      await client.query(statement);
      await client.end();
    }
  },
);

async function sell(shop: TestShop): Promise<{ browser: TestBrowser; paid: string; open: string }> {
  const browser = shop.browser();
  const paid = await browser.order();
  await sandbox.control.putCollection({ reference: paid, amount: '92.50' });
  await browser.verify(paid);
  await vi.waitFor(
    async () =>
      expect(
        await shop.rows("select 1 from service_pay_fulfilments where state = 'done'"),
      ).toHaveLength(1),
    PATIENT,
  );
  return { browser, paid, open: await browser.order() };
}

async function expectToGoOn(
  databaseUrl: string,
  { browser, paid, open }: Awaited<ReturnType<typeof sell>>,
): Promise<void> {
  const fulfilCalls: string[] = [];
  const fulfil = async ({ reference }: { reference: string }) => void fulfilCalls.push(reference);
  const shop = await startTestShop(sandbox.url, { fulfil }, { DATABASE_URL: databaseUrl });
  const same = shop.browser();
  same.cookie = browser.cookie;
  await sandbox.control.putCollection({ reference: open, amount: '92.50' });

  expect((await same.verify(paid)).json.data.status).toBe('successful');
  expect((await same.verify(open)).json.data.status).toBe('successful');
  await vi.waitFor(() => expect(fulfilCalls).toEqual([open]), PATIENT);
  await shop.close();
}

function commandsOf(mark: string): string[] {
  const [, example = ''] = new RegExp(`<!-- ${mark} -->\n\`\`\`sh\n([^\`]+)`).exec(PAGE) ?? [];
  return example.trim().split('\n');
}

function run(command: string, environment: Record<string, string> = {}): void {
  expect(runFreely(command, environment)).toMatchObject({ status: 0, stderr: '' });
}

function runFreely(
  command: string,
  environment: Record<string, string>,
): { status: number | null; stderr: string } {
  const env = {
    PATH: `${programs ?? ''}:/usr/local/bin:/usr/bin:/bin`,
    HOME: folder,
    ...environment,
  };
  return spawnSync('sh', ['-c', command], { env, encoding: 'utf8' });
}

const pemOf = (name: string) =>
  fileURLToPath(new URL(`../../../server/test/data/tls/${name}.pem`, import.meta.url));

async function startInstalledPostgres(): Promise<{ serverUrl: string; stop(): Promise<void> }> {
  const home = mkdtempSync(join(tmpdir(), 'postgres-'));
  chmodSync(home, 0o755);
  if (NOBODY.uid) chownSync(home, NOBODY.uid, NOBODY.gid);
  const data = join(home, 'data');
  const initdb = join(programs as string, 'initdb');
  const { status, stderr } = spawnSync(
    initdb,
    ['-D', data, '-U', 'shop', '-A', 'trust', '--encoding=UTF8', '--locale=C'],
    {
      ...NOBODY,
      encoding: 'utf8',
    },
  );
  if (status !== 0) throw new Error(`initdb: ${stderr}`);
  const [key, certificate] = ['key', 'sound'].map((name) => {
    // the server's account may not enter the original's folder
    const copy = join(home, `${name}.pem`);
    copyFileSync(pemOf(name), copy);
    chmodSync(copy, 0o600); // the server takes no key that others may read
    if (NOBODY.uid) chownSync(copy, NOBODY.uid, NOBODY.gid);
    return copy;
  });
  const port = await findFreePort();
  const settings = [
    '-c',
    'listen_addresses=127.0.0.1',
    '-c',
    'unix_socket_directories=',
    '-c',
    'shared_buffers=16MB',
  ];
  const tls = ['-c', 'ssl=on', '-c', `ssl_key_file=${key}`, '-c', `ssl_cert_file=${certificate}`];
  const server = spawn(
    join(programs as string, 'postgres'),
    ['-D', data, '-p', String(port), ...settings, ...tls],
    {
      ...NOBODY,
      stdio: 'ignore',
    },
  );
  const serverUrl = `postgres://shop@127.0.0.1:${port}`;
  await vi.waitFor(async () => {
    const client = new pg.Client({ connectionString: `${serverUrl}/postgres` });
    await client.connect();
    await client.end();
  }, PATIENT);
  return {
    serverUrl,
    async stop() {
      const ended = once(server, 'exit');
      server.kill('SIGINT');
      await ended;
      rmSync(home, { recursive: true });
    },
  };
}
