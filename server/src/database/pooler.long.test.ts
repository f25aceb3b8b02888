import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { appendFile, chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { buildTestLog } from '../../test/parts.ts';
import { PATIENT, PATIENT_PAYMENTS } from '../../test/patience.ts';
import { createPayments } from '../create-payments.ts';
import type { PaymentsOptions } from '../options.ts';
import { makeDatabaseUrl, POSTGRES_IS_MISSING, type TestDatabase } from '../testing/databases.ts';
import { collectionResponse, startUpstream, TOKEN } from '../testing/upstream.ts';

const PGBOUNCER = '/usr/sbin/pgbouncer';
const MISSING =
  POSTGRES_IS_MISSING ?? (existsSync(PGBOUNCER) ? undefined : `${PGBOUNCER} is not installed`);
const ORDER = { amount: '92.50', currency: 'ZMW', owner: 'ann', data: {} };
const ORDERS = 40;

const PREVIEW = '?options=-c%20search_path%3Dpreview';

const title = 'behind PgBouncer in transaction mode, with two connections to the server';
describe.skipIf(MISSING)(MISSING ? `${title} (${MISSING})` : title, () => {
  let home: TestDatabase;
  let pooler: Pooler;
  let service: Awaited<ReturnType<typeof startUpstream>>;
  let fulfilled: string[];

  beforeEach(async () => {
    home = await makeDatabaseUrl('postgres');
    pooler = await startPooler(home.url);
    service = await startUpstream((req, res) => res.end(collectionResponse(req.url!)));
    fulfilled = [];
  });

  afterEach(async () => {
    await service.close();
    await pooler.stop();
    await home.drop();
  });

  const open = (options: Partial<PaymentsOptions<object>> = {}) =>
    createPayments({
      apiUrl: service.url,
      apiToken: TOKEN,
      publicKey: 'pub_test',
      database: pooler.address,
      fulfil: async ({ reference }) => void fulfilled.push(reference),
      log: buildTestLog(),
      ...PATIENT_PAYMENTS,
      ...options,
    });

  test('two instances migrate, take orders, confirm and fulfil each once', async () => {
    const instances = await Promise.all([open(), open()]);

    const made = await Promise.all(
      Array.from({ length: ORDERS }, async (_, at) => {
        const payments = instances[at % 2]!;
        const { reference } = await payments.create(ORDER);
        const { shown } = await payments.confirm(reference, ORDER);
        expect(shown.status).toBe('successful');
        return reference;
      }),
    );

    await vi.waitFor(() => expect(fulfilled.length).toBeGreaterThanOrEqual(ORDERS), PATIENT);
    await Promise.all(instances.map((one) => one.close()));
    expect(fulfilled.sort()).toEqual(made.sort());
  });

  test('a preview has a schema of its own by the search_path of its user, and not by options (T149)', async () => {
    const user = `preview_${Date.now()}`;
    const admin = new pg.Client({ connectionString: home.url });
    await admin.connect();
    await admin.query(`create role ${user} login password 'x';
      alter role ${user} set search_path = preview;
      create schema preview authorization ${user}`);
    await pooler.admit(user, 'x');
    const production = await open({ publicKey: 'pub_live', background: false });
    const database = Object.assign(new URL(pooler.address), { username: user, password: 'x' }).href;

    await expect(open({ database: pooler.address + PREVIEW })).rejects.toThrow(
      /unsupported startup parameter.*\(alter role <user> set search_path = <schema>\)/,
    );
    const preview = await open({ database });
    const { reference } = await preview.create(ORDER);
    await preview.confirm(reference, ORDER);
    await vi.waitFor(() => expect(fulfilled).toEqual([reference]), PATIENT);

    await expect(production.find(reference, ORDER)).rejects.toThrow(/no order/);
    await Promise.all([preview.close(), production.close()]);
    await admin.query(`drop owned by ${user}; drop role ${user}`);
    await admin.end();
  });

  test('a preview is rejected if the pooler ignores options (T149)', async () => {
    await (await open({ publicKey: 'pub_live', background: false })).close();
    const deaf = await startPooler(home.url, 'ignore_startup_parameters = options');

    await expect(open({ database: deaf.address + PREVIEW })).rejects.toThrow(
      /belongs to .*pub_live/,
    );

    await deaf.stop();
  });
});

interface Pooler {
  address: string;
  /** Lets another user of the server in. */
  admit(user: string, password: string): Promise<void>;
  stop(): Promise<void>;
}

async function startPooler(serverUrl: string, more = ''): Promise<Pooler> {
  const folder = await mkdtemp(join(tmpdir(), 'pooler-'));
  await chmod(folder, 0o755); // PgBouncer does not run as root
  const { hostname, port, pathname, username, password } = new URL(serverUrl);
  const listenPort = await findFreePort();
  const users = join(folder, 'users.txt');
  await writeFile(users, `"${username}" "${decodeURIComponent(password)}"\n`);
  const ini = join(folder, 'pgbouncer.ini');
  await writeFile(
    ini,
    `[databases]
* = host=${hostname} port=${port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${listenPort}
unix_socket_dir =
auth_type = plain
auth_file = ${users}
pool_mode = transaction
default_pool_size = 2
${more}
`,
  );
  const asUser = process.getuid?.() === 0 ? ['-u', 'nobody'] : [];
  const program = spawn(PGBOUNCER, [...asUser, ini], { stdio: 'ignore' });
  await vi.waitFor(() => expectOpen(listenPort), PATIENT);
  return {
    address: `postgres://${username}:${password}@127.0.0.1:${listenPort}${pathname}`,
    async admit(user, word) {
      await appendFile(users, `"${user}" "${word}"\n`);
      program.kill('SIGHUP'); // reads its files again
    },
    async stop() {
      program.kill();
      await once(program, 'exit');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

async function expectOpen(port: number): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect').finally(() => socket.destroy());
}
