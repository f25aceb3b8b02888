import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { json } from 'node:stream/consumers';
import { type Sandbox, startSandbox } from '@service-pay/sandbox';
import {
  makeDatabaseUrl,
  POSTGRES_IS_MISSING,
  readRows,
  type TestDatabase,
} from '@service-pay/server/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { SHORT_RETRIES } from '../packages/installed-project.ts';
import { pack } from '../packages/pack.ts';
import { findBrokenRules } from '../programs/check-shop.ts';
import { runNode, runProgram } from '../programs/run-tool.ts';
import { findFreePort } from '../programs/server-program.ts';
import { expectEveryBlockRun } from './every-block.ts';
import { MarkedPage } from './marked-page.ts';
import { expectStrangersRejected } from './strangers.ts';

const frameworks = new MarkedPage('docs/frameworks.md');

const USED = [
  ...['hono', 'fastify', 'nest'].flatMap((name) => {
    const [, , ...packages] = frameworks.command(name, 'install').split(' ');
    return packages;
  }),
  'pg-boss@12.38.0',
  '@aws-sdk/client-sqs@3.1175.0',
  'better-sqlite3@13.2.0',
  'express@4.22.1',
  'express-rate-limit@8.7.5',
  'pg@8.23.1',
  'pino@10.4.0',
  '@types/node@24.19.2',
  'typescript@6.0.3',
  'winston@3.19.0',
];

/** As in the manifest of a new project of NestJS. */
const NEST = [
  'node_modules/typescript/bin/tsc',
  ...['--module', 'nodenext', '--target', 'es2023', '--types', 'node', '--skipLibCheck'],
  ...['--experimentalDecorators', '--emitDecoratorMetadata', '--allowJs'],
  ...['--outDir', 'nest', 'nest.ts'],
];

const PATIENT_MS = 5 * 60_000;

const project = mkdtempSync(join(tmpdir(), 'service-pay-recipes-'));
let sandbox: Sandbox;
let programs: Program[] = [];

beforeAll(async () => {
  writeFileSync(
    join(project, 'package.json'),
    JSON.stringify({ name: 'shop', private: true, type: 'module' }),
  );
  const ours = [await pack('contract', project), await pack('server', project)];
  const installed = await runProgram(
    'npm',
    [
      'install',
      '--no-audit',
      '--no-fund',
      '--prefer-offline',
      ...SHORT_RETRIES,
      ...ours.map((tarball) => `./${tarball}`),
      ...USED,
    ],
    { cwd: project, quiet: true },
  );
  expect(installed, installed.output).toMatchObject({ exitCode: 0 });
  for (const name of ['hono.js', 'server.js', 'fastify.js', 'nest.ts'])
    frameworks.write(project, name);
  new MarkedPage('docs/quick-start/full-stack.md').write(project, 'payments.js');
  writeExpress4Shop();
  sandbox = await startSandbox();
}, PATIENT_MS);

beforeEach(() => sandbox.control.reset());

afterEach(async () => {
  await Promise.all(programs.map((program) => program.kill()));
  programs = [];
});

afterAll(async () => {
  await sandbox?.close();
  rmSync(project, { recursive: true, force: true });
});

describe('the packed server package in an empty project', () => {
  test.each([
    ['pino', "import { pino } from 'pino'; const log = pino();"],
    [
      'winston',
      "import winston from 'winston'; const log = winston.createLogger({ transports: new winston.transports.Console() });",
    ],
  ])(
    'the packed server package logs messages and fields by %s',
    { timeout: PATIENT_MS },
    async (name, logger) => {
      writeFileSync(
        join(project, 'logs.js'),
        `import { createPayments } from '@service-pay/server';
      ${logger}
      const options = { apiUrl: 'http://localhost:1', apiToken: 'sec_of_tests', publicKey: 'pub_1' };
      const rest = { database: 'file:${name}.db', fulfil: async () => {}, background: false, log };
      await (await createPayments({ ...options, ...rest })).close();`,
      );

      const { output } = await runNode(['logs.js'], { cwd: project, quiet: true });

      expect(JSON.parse(output)).toMatchObject({
        [name === 'pino' ? 'msg' : 'message']:
          'database belongs to this service and public key now',
        publicKey: 'pub_1',
      });
    },
  );

  test.each([
    ['a Hono app', 'hono.js'],
    ['a plain http server', 'server.js'],
    ['a Fastify app', 'fastify.js'],
  ])(
    'the packed server package lets %s keep every rule of check-shop, and reject strangers (T142, T147)',
    { timeout: PATIENT_MS },
    async (_what, file) => {
      const shop = await startShop([file]);

      await keepsEveryRule(shop);
      await rejectsStrangers(shop);
    },
  );

  test('the packed server package lets a NestJS app keep every rule of check-shop, and reject strangers (T142, T147)', {
    timeout: PATIENT_MS,
  }, async () => {
    const compiled = await runNode(NEST, { cwd: project, quiet: true });
    expect(compiled, compiled.output).toMatchObject({ exitCode: 0 });

    const shop = await startShop(['nest/nest.js']);
    await keepsEveryRule(shop);
    await rejectsStrangers(shop);
  });

  test('the packed server package lets an Express 4 app keep every rule of check-shop, and reject strangers (T142, T147)', {
    timeout: PATIENT_MS,
  }, async () => {
    const shop = await startShop(['express-4.mjs']);

    await keepsEveryRule(shop);
    const type = { 'content-type': 'application/json' };
    const unsold = await shop.call('POST', '/api/orders', type, '{"sku":"gold"}');
    expect(unsold.status, shop.output).toBe(400);
    await rejectsStrangers(shop);
  });
});

describe('the cached opener', () => {
  test.each([
    ['docs/quick-start/full-stack.md', 'payments.js'],
    ['docs/quick-start/full-stack.md', 'next-typescript/payments.ts'],
    ['docs/serverless.md', 'shop.js'],
  ])(
    'the cached opener of %s, in %s, opens a database that was away at the first call at the next (T152)',
    async (page, file) => {
      const folder = mkdtempSync(join(project, 'opener-'));
      const name = basename(file);
      new MarkedPage(page).write(folder, file, name);
      if (file === 'shop.js') new MarkedPage(page).write(folder, 'fulfil.js');
      writeFileSync(join(folder, 'data'), ''); // in the way of the database's folder
      const script = `
      import { rmSync } from 'node:fs';
      import { openPayments } from './${name}';
      const open = () => openPayments().then((opened) => opened, ({ code }) => code);
      const away = await Promise.all([open(), open()]);
      rmSync('data');
      const [one, other] = await Promise.all([open(), open()]);
      console.log('OPENED', ...away, typeof one.create, one === other, one === await open());
      process.exit();`;

      const { output } = await runNode(['--input-type=module', '-e', script], {
        cwd: folder,
        quiet: true,
        env: {
          SERVICE_PAY_API_URL: sandbox.url,
          SERVICE_PAY_API_TOKEN: 'sec_sandbox_demo',
          SERVICE_PAY_PUBLIC_KEY: 'pub_sandbox_demo',
          DATABASE_URL: 'file:data/shop.db',
        },
      });

      expect(output).toContain('OPENED unavailable unavailable function true true');
    },
  );
});

describe.skipIf(POSTGRES_IS_MISSING)('fulfil with pg-boss', () => {
  const folder = join(project, 'queue');
  let database: TestDatabase;
  let warehouse: Warehouse;

  beforeAll(() => {
    mkdirSync(folder);
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
    frameworks.write(folder, 'server.js');
    new MarkedPage('docs/fulfilment.md').write(folder, 'pg-boss/');
    new MarkedPage('docs/quick-start/full-stack.md', {
      "import { randomUUID } from 'node:crypto';":
        "import { randomUUID } from 'node:crypto';\nimport { fulfil } from './fulfil.js';",
      "fulfil: async (order) => console.log('ship', order.data.sku, order.id)": 'fulfil',
    }).write(folder, 'payments.js');
    writeFileSync(join(folder, 'warehouse.js'), WAREHOUSE);
  });

  beforeEach(async () => {
    database = await makeDatabaseUrl('postgres');
    warehouse = await Warehouse.open();
  });

  afterEach(async () => {
    await warehouse.close();
    await Promise.all(programs.map((program) => program.kill()));
    await database.drop();
  });

  const environment = (instance: string) => ({
    DATABASE_URL: database.url,
    WAREHOUSE_URL: warehouse.url,
    INSTANCE: instance,
  });
  const readJobs = () =>
    readRows<{ state: string; retry_count: number }>(
      database.url,
      "select state, retry_count from pgboss.job where name = 'paid-orders'",
    );

  test('fulfil with pg-boss does each step of each order once by key while one of two instances is killed within a job (F3)', {
    timeout: PATIENT_MS,
  }, async () => {
    warehouse.holds = 'one';
    const one = await startShop(['server.js'], folder, environment('one'));
    await startShop(['server.js'], folder, environment('two'));
    const orders: string[] = [];
    for (let count = 0; count < 6; count++) orders.push((await placeOrder(one)).options.reference);

    for (const reference of orders)
      await sandbox.control.putCollection({ reference, amount: '92.50', notify: true });
    await vi.waitFor(() => expect(warehouse.held).toHaveLength(1), { timeout: 60_000 });
    const [cutOff] = warehouse.held;
    await one.kill();

    await vi.waitFor(
      async () => expect((await readJobs()).map(({ state }) => state)).toEqual(allOf('completed')),
      { timeout: 120_000, interval: 500 },
    );
    const steps = orders.flatMap((reference) => [`${reference}/reserve`, `${reference}/ship`]);
    expect(warehouse.completed.sort()).toEqual(
      [...steps, cutOff!.replace('/ship', '/reserve')].sort(),
    );
    expect((await readJobs()).filter(({ retry_count }) => retry_count > 0)).toHaveLength(1);
    await vi.waitFor(
      async () =>
        expect(await readRows(database.url, 'select state from service_pay_fulfilments')).toEqual(
          allOf({ state: 'done' }),
        ),
      { timeout: 60_000 },
    );

    function allOf<Value>(value: Value): Value[] {
      return orders.map(() => value);
    }
  });

  test('fulfil with pg-boss adds one job for an order, however often it is called', async () => {
    const script = `
      const { fulfil } = await import('./fulfil.js');
      for (const id of ['order-1', 'order-1', 'order-2']) await fulfil({ id, data: {} });
      process.exit();`;

    const called = await runNode(['--input-type=module', '-e', script], {
      cwd: folder,
      quiet: true,
      env: environment('one'),
    });

    expect(called, called.output).toMatchObject({ exitCode: 0 });
    expect(await readJobs()).toHaveLength(2);
  });
});

describe('fulfil with Amazon SQS', () => {
  test('fulfil with Amazon SQS sends an order to its queue under its own id, the same at a second call', async () => {
    const sent: Record<string, string>[] = [];
    const queue = createServer(async (req, res) => {
      const message = (await json(req)) as Record<string, string>;
      sent.push(message);
      const hash = createHash('md5').update(message.MessageBody!).digest('hex'); // the SDK checks it
      res.setHeader('content-type', 'application/x-amz-json-1.0');
      res.end(JSON.stringify({ MD5OfMessageBody: hash, MessageId: '1', SequenceNumber: '1' }));
    }).listen(0, '127.0.0.1');
    await once(queue, 'listening');
    const url = `http://127.0.0.1:${(queue.address() as AddressInfo).port}`;
    new MarkedPage('docs/fulfilment.md').write(project, 'sqs/fulfil.js', 'sqs.js');
    const script = `
      import { fulfil } from './sqs.js';
      const { signal } = new AbortController();
      for (const id of ['order-1', 'order-1']) await fulfil({ id, data: { sku: 'honey' } }, { signal });`;

    const called = await runNode(['--input-type=module', '-e', script], {
      cwd: project,
      quiet: true,
      env: {
        AWS_ENDPOINT_URL_SQS: url,
        AWS_REGION: 'eu-west-1',
        AWS_ACCESS_KEY_ID: 'test',
        AWS_SECRET_ACCESS_KEY: 'test',
        QUEUE_URL: `${url}/1/orders.fifo`,
      },
    });
    queue.close();

    expect(called, called.output).toMatchObject({ exitCode: 0 });
    const message = { MessageGroupId: 'order-1', MessageDeduplicationId: 'order-1' };
    expect(sent).toMatchObject([message, message]);
    expect(JSON.parse(sent[0]!.MessageBody!)).toEqual({ id: 'order-1', data: { sku: 'honey' } });
  });
});

expectEveryBlockRun(
  ['docs/frameworks.md', 'docs/fulfilment.md'],
  POSTGRES_IS_MISSING ? ['pg-boss/fulfil.js'] : [],
);

/** Writes the quick start's shop in Node, with the change that Express 4 needs. */
function writeExpress4Shop(): void {
  const [passErrors = ''] = new MarkedPage('docs/frameworks.md')
    .example('pass-errors')
    .split('\n  //');
  new MarkedPage('docs/quick-start/server.md', {
    "app.post('/api/orders', readJson, async (req, res) => {": passErrors,
    '});\napp.use(errorHandler)': '}));\napp.use(errorHandler)',
    "'file:shop.db'": 'process.env.DATABASE_URL',
    'app.listen(3000': 'app.listen(process.env.PORT',
  }).write(project, 'server.mjs', 'express-4.mjs');
}

/** Tries every rule for a shop, but that of the previous token, which it does not have. */
async function keepsEveryRule(shop: Program): Promise<void> {
  const broken = await findBrokenRules(shop.url, sandbox.url, { output: () => shop.output });

  expect(broken, shop.output).toEqual([expect.stringContaining('--previous-token')]);
}

async function rejectsStrangers(shop: Program): Promise<void> {
  const { options, cookie } = await placeOrder(shop);
  await expectStrangersRejected(shop.url, {
    pid: shop.pid,
    output: () => shop.output,
    events: { path: `/api/payments/${options.reference}/events`, cookie },
  });
}

async function placeOrder(shop: Program, headers: Record<string, string> = {}, sku = 'honey') {
  const placed = await shop.call(
    'POST',
    '/api/orders',
    { 'content-type': 'application/json', ...headers },
    JSON.stringify({ sku, email: 'ada@shop.example' }),
  );
  expect(placed.status, shop.output).toBe(201);
  const { data: options } = (await placed.json()) as {
    data: { reference: string; amount: string };
  };
  const cookie = placed.headers.get('set-cookie')!.split(';', 1)[0]!;
  return { options, cookie };
}

async function startShop(
  args: string[],
  folder = project,
  environment: Record<string, string> = {
    DATABASE_URL: `file:${mkdtempSync(join(project, 'data-'))}/shop.db`,
  },
): Promise<Program> {
  const port = String(await findFreePort());
  const shop = new Program(args, folder, `http://localhost:${port}`, {
    SERVICE_PAY_API_URL: sandbox.url,
    SERVICE_PAY_API_TOKEN: 'sec_sandbox_demo',
    SERVICE_PAY_PUBLIC_KEY: 'pub_sandbox_demo',
    PORT: port,
    ...environment,
  });
  programs.push(shop);
  await sandbox.control.putMerchant('pub_sandbox_demo', {
    webhookUrl: `${shop.url}/webhooks/service-pay`,
  });
  await vi.waitFor(
    async () => {
      shop.mustRun();
      expect((await shop.call('GET', '/api/payments/none/verify')).status).toBe(404);
    },
    { timeout: 60_000, interval: 200 },
  );
  return shop;
}

class Program {
  output = '';
  readonly url: string;
  readonly #child: ChildProcess;
  readonly #gone: Promise<unknown>;

  constructor(args: string[], cwd: string, url: string, environment: Record<string, string>) {
    this.url = url;
    this.#child = spawn(process.execPath, args, {
      cwd,
      env: { PATH: process.env.PATH, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#gone = once(this.#child, 'close');
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream?.on('data', (chunk) => {
        this.output += chunk;
      });
  }

  get pid(): number {
    return this.#child.pid as number;
  }

  call(
    method: string,
    path: string,
    headers: Record<string, string> = {},
    body: string | null = null,
  ): Promise<Response> {
    return fetch(this.url + path, { method, headers, body });
  }

  mustRun(): void {
    if (this.#child.exitCode !== null) throw new Error(`The shop has ended: ${this.output}`);
  }

  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#gone;
  }
}

/** The warehouse that instances call. It keeps the idempotency key of each step it completes. */
class Warehouse {
  /** The instance whose `ship` calls never get a response. */
  holds = '';
  readonly completed: string[] = [];
  readonly held: string[] = [];
  readonly #server: Server;

  static async open(): Promise<Warehouse> {
    const warehouse = new Warehouse();
    warehouse.#server.listen(0, '127.0.0.1');
    await once(warehouse.#server, 'listening');
    return warehouse;
  }

  private constructor() {
    this.#server = createServer(({ url, headers }, res: ServerResponse) => {
      const key = String(headers['idempotency-key']);
      if (url === '/ship' && headers['x-instance'] === this.holds) {
        this.held.push(key);
        return;
      }
      this.completed.push(key);
      res.end();
    });
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

const WAREHOUSE = `
async function callService(step, { idempotencyKey }) {
  const headers = { 'idempotency-key': idempotencyKey, 'x-instance': process.env.INSTANCE };
  const response = await fetch(process.env.WAREHOUSE_URL + step, { method: 'POST', headers });
  if (!response.ok) throw new Error('The warehouse responded with ' + response.status);
}
export const reserve = (order, options) => callService('/reserve', options);
export const ship = (order, options) => callService('/ship', options);
`;
