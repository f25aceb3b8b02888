import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { buildTestLog } from '../../test/parts.ts';
import { PATIENT, PATIENT_DATABASE } from '../../test/patience.ts';
import { createPayments } from '../create-payments.ts';
import { makeDatabaseUrl, POSTGRES_IS_MISSING, type TestDatabase } from '../testing/databases.ts';
import { collectionAnswer, startUpstream, TOKEN } from '../testing/upstream.ts';

const PGBOUNCER = '/usr/sbin/pgbouncer';
const MISSING =
  POSTGRES_IS_MISSING ?? (existsSync(PGBOUNCER) ? undefined : `${PGBOUNCER} is not installed`);
const ORDER = { amount: '92.50', currency: 'ZMW', owner: 'ann', data: {} };
const ORDERS = 40;

const title = 'behind PgBouncer in transaction mode, with two connections to the server';
describe.skipIf(MISSING)(MISSING ? `${title} (${MISSING})` : title, () => {
  let home: TestDatabase;
  let folder: string;
  let pooler: ChildProcess;
  let address: string;

  beforeAll(async () => {
    home = await makeDatabaseUrl('postgres');
    folder = await mkdtemp(join(tmpdir(), 'pooler-'));
    await chmod(folder, 0o755); // PgBouncer does not run as root
    const { hostname, port, pathname, username, password } = new URL(home.url);
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
`,
    );
    const asUser = process.getuid?.() === 0 ? ['-u', 'nobody'] : [];
    pooler = spawn(PGBOUNCER, [...asUser, ini], { stdio: 'ignore' });
    await vi.waitFor(() => expectOpen(listenPort), PATIENT);
    address = `postgres://${username}:${password}@127.0.0.1:${listenPort}${pathname}`;
  });

  afterAll(async () => {
    pooler.kill();
    await once(pooler, 'exit');
    await home.drop();
    await rm(folder, { recursive: true, force: true });
  });

  test('two instances migrate, take orders, confirm and fulfil each once', async () => {
    const service = await startUpstream((req, res) => res.end(collectionAnswer(req.url!)));
    const fulfilled: string[] = [];
    const open = () =>
      createPayments({
        apiUrl: service.url,
        apiToken: TOKEN,
        publicKey: 'pub_test',
        database: address,
        fulfil: async ({ reference }) => void fulfilled.push(reference),
        log: buildTestLog(),
        ...PATIENT_DATABASE,
      });
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
    await service.close();
  });
});

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
