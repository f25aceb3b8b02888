import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type Sandbox, startSandbox } from '@service-pay/sandbox';
import SqliteFile from 'better-sqlite3';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

import { PATIENT, signatureOf, TestBrowser, TOKEN } from './test-shop.ts';

const MAIN = fileURLToPath(new URL('main.ts', import.meta.url));
const GOODS = fileURLToPath(new URL('test-goods-hook.ts', import.meta.url));
const KILLS = 3;
const ORDERS_PER_LIFE = 8;

let sandbox: Sandbox;
let folder: string;
let running: ShopProgram[];

beforeEach(async () => {
  running = [];
  sandbox = await startSandbox();
  folder = await mkdtemp(join(tmpdir(), 'shop-'));
});

afterEach(async () => {
  await Promise.all(running.map((shop) => shop.end('SIGKILL')));
  await sandbox.close();
  await rm(folder, { recursive: true });
});

/** The program itself, in a process of its own. */
class ShopProgram {
  readonly #child: ChildProcess;
  readonly #exit: Promise<unknown[]>;
  readonly #url = Promise.withResolvers<string>();

  /** `handedOver` takes the references the shop logs as handed over: a killed one may keep its last lines to itself. */
  constructor(handedOver: string[] = []) {
    running.push(this);
    const env = {
      PATH: process.env.PATH,
      PORT: '0',
      DATABASE_URL: `file:${databaseFile()}`,
      SERVICE_PAY_API_URL: sandbox.url,
      SERVICE_PAY_SCRIPT_URL: `${sandbox.url}/js/v1/inline.js`,
      SERVICE_PAY_API_TOKEN: TOKEN,
      SESSION_SECRET: 'a-session-secret-of-the-tests-0123456789',
    };
    this.#child = spawn(process.execPath, ['--import', GOODS, MAIN], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    this.#exit = once(this.#child, 'exit');
    void this.#exit.then(() => this.#url.reject(new Error('The shop has ended.')));
    this.#url.promise.catch(() => {});
    createInterface(this.#child.stdout!).on('line', (line) => {
      const { msg, url, reference } = JSON.parse(line);
      if (msg === 'shop answers') this.#url.resolve(url);
      if (msg === 'order handed over') handedOver.push(reference);
    });
  }

  get url(): Promise<string> {
    return this.#url.promise;
  }

  /** Gives the exit code, null where the signal ended it. */
  async end(signal: NodeJS.Signals): Promise<number | null> {
    running = running.filter((shop) => shop !== this);
    this.#child.kill(signal);
    const [exitCode] = await this.#exit;
    return exitCode as number | null;
  }
}

const databaseFile = () => join(folder, 'shop.db');

/** Orders, pays, and tells each of the shops of it; gives the reference once one has acknowledged. Who is told 503 comes again. */
async function buy(...urls: [string, ...string[]]): Promise<string> {
  const reference = await vi.waitFor(() => new TestBrowser(urls[0]).order(), PATIENT);
  await sandbox.control.putCollection({ reference, amount: '92.50' });
  const body = JSON.stringify({ event: 'collection.successful', data: { reference } });
  const headers = { 'x-servicepay-signature': signatureOf(body) };
  const answers = await Promise.all(urls.map((url) => fetch(`${url}/webhooks/service-pay`, { method: 'POST', body, headers })));
  expect(answers.map(({ status }) => status)).toContain(200);
  return reference;
}

/** What stands in the file, as another process reads it. */
function readRows(statement: string): { reference: string; state: string }[] {
  const db = new SqliteFile(databaseFile(), { readonly: true });
  try {
    return db.prepare(statement).all() as { reference: string; state: string }[];
  } finally {
    db.close();
  }
}

test('a shop killed as soon as it has acknowledged hands every paid order over, and each in one row (F1)', {
  timeout: 90_000,
}, async () => {
  const paid: string[] = [];

  for (let life = 0; life < KILLS; life++) {
    const shop = new ShopProgram();
    const url = await shop.url;
    paid.push(...(await Promise.all(Array.from({ length: ORDERS_PER_LIFE }, () => buy(url, url)))));
    await shop.end('SIGKILL');
  }
  const last = new ShopProgram();

  const handedOver = paid.sort().map((reference) => ({ reference, state: 'done' }));
  await vi.waitFor(() => expect(readRows('select reference, state from fulfilments order by reference')).toEqual(handedOver), PATIENT);
  expect(readRows("select reference, state from payments where state <> 'paid'")).toEqual([]);
  expect(await last.end('SIGTERM')).toBe(0);
});

test('two shops on one file, started at once on an empty one, hand every order over once (T108, T110)', { timeout: 60_000 }, async () => {
  const handedOver: string[] = [];
  const shops = Array.from({ length: 2 }, () => new ShopProgram(handedOver));
  const [one, other] = (await Promise.all(shops.map((shop) => shop.url))) as [string, string];

  const paid: string[] = [];
  for (let at = 0; at < 5; at++) paid.push(await buy(one, other), await buy(other, one));

  await vi.waitFor(() => expect(new Set(handedOver)).toEqual(new Set(paid)), PATIENT);
  expect(await Promise.all(shops.map((shop) => shop.end('SIGTERM')))).toEqual([0, 0]);
  expect(handedOver).toHaveLength(paid.length);
});
