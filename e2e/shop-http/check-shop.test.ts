import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Sandbox, startSandbox } from '@service-pay/sandbox';
import { createPayments } from '@service-pay/server';
import { buildFetchHandler, readJson, toNodeListener } from '@service-pay/server/fetch';
import { buildLog } from '@service-pay/server/log';
import { makeDatabaseUrl, TOKEN } from '@service-pay/server/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { runTool } from '../../scripts/programs/run-tool.ts';
import { PATIENT_DATABASE } from '../lab/patience.ts';
import { ONE_HONEY, startTestShop } from './shop.ts';

/** Words in the titles of the rules that need no pause between two questions about a payment. */
const QUICK = [
  ...[
    'The price',
    'key',
    'browser',
    'does not exist',
    'open names',
    'open does',
    'open is',
    'events',
    'not final',
  ],
  ...['waits for the customer', 'is failed', 'never paid', 'pays no other', 'away: not'],
  ...['error of its own', 'garbled', 'After the trouble', 'bodies', 'foreign', 'A webhook of'],
  ...['slow', 'alone', 'raw bytes', 'right signature', 'previous', 'Events and', 'twice'],
  ...['fulfilled'],
];

const PREVIOUS = 'the-token-before';

/** Runs the command as a reader does, and returns its exit code and what it printed. */
async function checkShop(shopUrl: string, order: object, sandbox: Sandbox, fulfilled: Fulfilled) {
  const file = join(tmpdir(), `order-${randomUUID()}.json`);
  writeFileSync(file, JSON.stringify(order));
  onTestFinished(() => rmSync(file));
  const given = ['--shop', shopUrl, '--order', file, '--sandbox', sandbox.url, '--token', TOKEN];
  const more = ['--previous-token', PREVIOUS, '--fulfilled', await serveList(fulfilled)];
  const only = QUICK.flatMap((words) => ['--only', words]);
  return runTool('service-pay-sandbox', ['check-shop', ...given, ...more, ...only], {
    quiet: true,
  });
}

type Fulfilled = () => readonly string[];

async function serveList(list: Fulfilled): Promise<string> {
  const server = createServer((_req, res) => res.end(list().join('\n')));
  return listen(server);
}

async function listen(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close().closeAllConnections());
  return `http://localhost:${(server.address() as AddressInfo).port}`;
}

async function startService(): Promise<Sandbox> {
  const sandbox = await startSandbox();
  onTestFinished(() => sandbox.close());
  await sandbox.control.putMerchant('pub_sandbox_demo', { apiToken: TOKEN });
  return sandbox;
}

describe('check-shop, run as a command, finds no fault', () => {
  test('in the template', async () => {
    const sandbox = await startService();
    const shop = await startTestShop(sandbox.url, {}, { SERVICE_PAY_API_TOKEN_PREVIOUS: PREVIOUS });
    onTestFinished(() => shop.close());
    const shipped = () =>
      shop.lines
        .map((line) => JSON.parse(line) as { msg: string; reference: string })
        .filter(({ msg }) => msg === 'goods shipped')
        .map(({ reference }) => reference);

    const { exitCode, output } = await checkShop(shop.url, ONE_HONEY, sandbox, shipped);

    expect(output).toMatch(/^\d\d ok, 0 fail, 0 not tried\n$/m);
    expect(exitCode).toBe(0);
  });

  test('in a shop on the adapter for fetch', async () => {
    const sandbox = await startService();
    const database = await makeDatabaseUrl('sqlite');
    const shipped: string[] = [];
    const payments = await createPayments({
      apiUrl: sandbox.url,
      apiToken: TOKEN,
      previousApiToken: PREVIOUS,
      publicKey: 'pub_sandbox_demo',
      database: database.url,
      fulfil: async ({ reference }) => void shipped.push(reference),
      log: buildLog({ logLevel: 'silent' } as Parameters<typeof buildLog>[0]),
      ...PATIENT_DATABASE,
    });
    onTestFinished(async () => {
      await payments.close();
      await database.drop();
    });
    const findOwner = ({ headers }: Request) =>
      /owner=([\w-]+)/.exec(headers.get('cookie') ?? '')?.[1];
    const checkoutOptions = (payment: Parameters<typeof payments.checkoutOptions>[0]) =>
      payments.checkoutOptions(payment, { email: 'ada@example.com' });
    const handle = buildFetchHandler(payments, { findOwner, checkoutOptions });
    const place = async (request: Request) => {
      const { sku } = ((await readJson(request).catch(() => null)) ?? {}) as { sku?: string };
      if (sku !== 'honey') return new Response('No such goods.', { status: 400 });
      const owner = findOwner(request) ?? randomUUID();
      const idempotencyKey = request.headers.get('idempotency-key');
      const order = { amount: '92.50', currency: 'ZMW', owner, data: { sku }, idempotencyKey };
      const data = checkoutOptions(await payments.create(order));
      const headers = { 'set-cookie': `owner=${owner}; Path=/; HttpOnly; SameSite=Lax` };
      return Response.json({ data }, { status: 201, headers });
    };
    const answer = (request: Request) =>
      new URL(request.url).pathname === '/api/orders' ? place(request) : handle(request);
    const url = await listen(createServer(toNodeListener(answer)));

    const { exitCode, output } = await checkShop(url, { sku: 'honey' }, sandbox, () => shipped);

    expect(output).toMatch(/^\d\d ok, 0 fail, 0 not tried\n$/m);
    expect(exitCode).toBe(0);
  });
});
