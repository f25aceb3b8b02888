import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';

import { type Sandbox, startSandbox } from '../sandbox/src/sandbox.ts';
import { pay, TestClient } from '../sandbox/src/test-client.ts';
import { writeExamples } from './doc-examples.ts';
import { SHORT_RETRIES } from './installed-project.ts';
import { pack } from './pack.ts';
import { runNode, runProgram } from './run-tool.ts';
import { findFreePort } from './server-program.ts';

/** What the recipes use beside our packages. */
const USED = [
  'next@16.4.6',
  'react@19.3.1',
  'react-dom@19.3.1',
  'hono@4.13.19',
  '@hono/node-server@2.1.8',
];

/** It installs from the registry, and builds with Next.js. */
const PATIENT_MS = 5 * 60_000;

const NEXT = 'node_modules/next/dist/bin/next';

/** An empty project with the packed packages, and the files that the documents show. */
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
  writeExamples('docs/frameworks.md', project);
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
  test('takes a payment from a Next.js route handler: order, webhook, verify, paid', {
    timeout: PATIENT_MS,
  }, async () => {
    const built = await runNode([NEXT, 'build'], {
      cwd: project,
      quiet: true,
      env: { NEXT_TELEMETRY_DISABLED: '1', NODE_ENV: 'production' },
    });
    expect(built, built.output).toMatchObject({ exitCode: 0 });

    await takesPayment(await startShop([NEXT, 'start']));
  });

  test('takes a payment from a Hono app: order, webhook, verify, paid', async () => {
    await takesPayment(await startShop(['hono.js']));
  });

  test('takes a payment from a plain http server: order, webhook, verify, paid', async () => {
    await takesPayment(await startShop(['server.js']));
  });
});

/** Places an order, pays it by card, and waits until it is fulfilled. */
async function takesPayment(shop: Program): Promise<void> {
  const client = new TestClient(() => sandbox);
  const { options, cookie } = await placeOrder(shop);
  const opened = await client.call('/checkout/v1/sessions', { method: 'POST', body: options });
  await client.attempt(opened.json.data, pay.card('4242424242424242'));

  await vi.waitFor(
    async () =>
      expect(await sandbox.control.webhooks()).toMatchObject([
        { reference: options.reference, status: 'acknowledged', attempts: [{ status: 200 }] },
      ]),
    { timeout: 20_000 },
  );
  const path = `/api/payments/${options.reference}`;
  const verified = await shop.call('POST', `${path}/verify`, { cookie });
  const foreign = await shop.call('POST', `${path}/verify`, { cookie: 'owner=somebody' });
  const events = await shop.call('GET', `${path}/events`, { cookie });
  const unsigned = await shop.call('POST', '/webhooks/service-pay', {}, '{"event":"x"}');

  expect(verified.status).toBe(200);
  expect(await verified.json()).toMatchObject({
    data: { reference: options.reference, status: 'successful', amount: '92.50' },
  });
  expect([foreign.status, unsigned.status]).toEqual([404, 401]);
  expect(await events.text()).toContain('"status":"successful"');
  const line = `send honey under the key ${options.reference}`;
  await vi.waitFor(() => expect(shop.output).toContain(line), { timeout: 20_000 });
  expect(shop.output.split(line)).toHaveLength(2);
}

async function placeOrder(shop: Program) {
  const placed = await shop.call(
    'POST',
    '/api/orders',
    { 'content-type': 'application/json' },
    JSON.stringify({ sku: 'honey', email: 'ada@shop.example' }),
  );
  expect(placed.status).toBe(201);
  const { data: options } = (await placed.json()) as { data: { reference: string } };
  const cookie = placed.headers.get('set-cookie')!.split(';', 1)[0]!;
  return { options, cookie };
}

/** Starts a shop of the project, sends the service's webhooks to it, and waits until it answers. */
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

/** A shop in a process of its own, with its output. */
class Program {
  output = '';
  readonly url: string;
  readonly #child: ChildProcess;
  readonly #gone: Promise<unknown>;

  constructor(args: string[], cwd: string, url: string, environment: Record<string, string>) {
    this.url = url;
    this.#child = spawn(process.execPath, args, {
      cwd,
      env: { PATH: process.env.PATH, NEXT_TELEMETRY_DISABLED: '1', ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#gone = once(this.#child, 'close');
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream?.on('data', (chunk) => {
        this.output += chunk;
      });
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

  /** Ends it like `kill -9`. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#gone;
  }
}
