import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeDatabaseUrl, POSTGRES_IS_MISSING } from '@service-pay/server/testing';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { packCreatePackage } from '../packages/create-package.ts';
import { SHORT_RETRIES } from '../packages/installed-project.ts';
import { ROOT } from '../programs/run-tool.ts';
import { findFreePort } from '../programs/server-program.ts';
import { MarkedPage, replaceWords, ShellProgram } from './marked-page.ts';
import { findRunBy, OF_PAGES } from './other-runs.ts';
import { findInOutput, findPrintedCommands, isRun } from './printed-commands.ts';
import {
  CHECK_SHOP_RUNS,
  CREATE_RUNS,
  ENDLESS_CHECK_SHOP_RUNS,
  ENDLESS_RUNS,
  FRESH_SHOP_RUNS,
  MOVE_RUNS,
  MOVE_WITHOUT_PG,
  type ProgramRun,
  SANDBOX_RUNS,
  SHOP_RUNS,
} from './program-runs.ts';
import { canRun } from './sample-servers.ts';

const PATIENT_MS = 10 * 60_000;

const flags = ['--no-audit', '--no-fund', '--prefer-offline', ...SHORT_RETRIES].join(' ');

const READY = { timeout: 60_000, interval: 100 };

/** A reader's folder, empty but for our packages. */
const folder = mkdtempSync(join(tmpdir(), 'service-pay-programs-'));
const outputs: string[] = [];
const running: ShellProgram[] = [];
/** What stands for the names in angle brackets. */
const known: Record<string, string> = {
  '<service>': 'https://pay.example',
  '<public-key>': 'pub_live',
};
const ports: Record<string, string> = {};
let quickStart: MarkedPage;
let shop: ShellProgram;

beforeAll(async () => {
  for (const name of ['<shop>', '<sandbox>', '<checked>', '<port>']) {
    ports[name] = `${await findFreePort()}`;
    known[name] = name === '<port>' ? ports[name] : `http://localhost:${ports[name]}`;
  }
  const [shopPort = '', sandboxPort = ''] = [ports['<shop>'], ports['<sandbox>']];
  quickStart = new MarkedPage('docs/quick-start/server.md', {
    '3000': shopPort,
    '4010': sandboxPort,
  });
  const install = new MarkedPage('docs/install.md').command('install');
  await mustRun(quickStart.command('init'));
  await mustRun(
    install.replace('../service-pay', ROOT).replace('npm install', `npm install ${flags}`),
  );
  await mustRun(`${quickStart.command('express', 'install')} ${flags}`);
  await packCreatePackage(folder);
  await mustRun(`npm install ${flags} ./create-service-pay-*.tgz`);
  quickStart.write(folder, 'server.mjs');
  const settings = [
    `PORT=${shopPort}`,
    `SANDBOX_PORT=${sandboxPort}`,
    'DATABASE_URL=file:shop.db',
    'SERVICE_PAY_API_TOKEN=sec_sandbox_demo',
  ];
  write('.env', settings.join('\n'));
  write('seed.mjs', SEED);
  write('order.json', '{"sku":"honey"}');
  const [, numbers = ''] = /```json\n([\s\S]*?)```/.exec(read('docs/service.md')) ?? [];
  write('numbers.json', numbers);
  start(quickStart.command('sandbox'), sandboxPort);
  start(
    `npx --no -- service-pay-sandbox --webhook-url http://localhost:${known['<port>']}/`,
    ports['<checked>'],
  );
  for (const name of ['<sandbox>', '<checked>']) await vi.waitFor(() => fetch(known[name]!), READY);
  await control('<checked>', 'PUT', 'merchants/pub_sandbox_demo', {
    allowedOrigins: ['https://shop.example'],
  });
  await startShop();
}, PATIENT_MS);

afterAll(async () => {
  await Promise.all(running.map((program) => program.stop()));
  rmSync(folder, { recursive: true, force: true });
}, PATIENT_MS);

describe('each program, run as printed from its package in an empty folder (T153)', () => {
  test('service-pay ends with the right code and last line', { timeout: PATIENT_MS }, async () => {
    await expectRuns(FRESH_SHOP_RUNS);

    await shop.stop(); // it would fulfil the order that is to be parked
    const { output } = await mustRun('node seed.mjs');
    for (const [, name, reference] of output.matchAll(/^(\w+) (\S+)$/gm))
      known[`<${name}>`] = reference!;
    await startShop();
    await control('<sandbox>', 'POST', 'pay', { reference: known['<paid>'], amount: '92.50' });
    await vi.waitFor(async () => {
      const [webhook] = await control('<sandbox>', 'GET', 'webhooks');
      expect(webhook).toMatchObject({ status: 'acknowledged' });
    }, READY);

    await expectRuns(SHOP_RUNS);
  });

  test('service-pay-sandbox check-shop ends with the right code and last line', {
    timeout: PATIENT_MS,
  }, async () => {
    await expectRuns(CHECK_SHOP_RUNS);
    await expectRuns(ENDLESS_CHECK_SHOP_RUNS, { isEndless: true });
    expect(await control('<sandbox>', 'GET', 'faults')).toEqual({});
  });

  test.skipIf(POSTGRES_IS_MISSING)(
    'service-pay move-database ends with the right code and last line, once the shop has stopped',
    { timeout: PATIENT_MS },
    async () => {
      const database = await makeDatabaseUrl('postgres');
      known['<address>'] = `'${database.url}'`;
      await shop.stop();

      await expectRuns(MOVE_WITHOUT_PG);
      await mustRun(`npm install ${flags} pg`); // as the last line says
      await expectRuns(MOVE_RUNS);

      await database.drop();
    },
  );

  test('service-pay-sandbox and its check end with the right code and last line', {
    timeout: PATIENT_MS,
  }, async () => {
    await Promise.all(SANDBOX_RUNS.map((run) => expectRuns([run])));
  });

  test('service-pay-sandbox and its check stop on Ctrl-C', { timeout: PATIENT_MS }, () =>
    Promise.all(ENDLESS_RUNS.map((run) => expectRuns([run], { isEndless: true }))),
  );

  test('create-service-pay ends with the right code and last line', { timeout: PATIENT_MS }, () =>
    expectRuns(CREATE_RUNS),
  );

  test.skipIf(!canRun(['curl', '--version']))(
    'the calls of the sandbox that pages show work, as do other commands in the reader’s folder',
    { timeout: PATIENT_MS },
    async () => {
      const printed = findPrintedCommands().filter((each) => findRunBy(each) === OF_PAGES);
      const words = {
        'http://localhost:4010': known['<sandbox>']!,
        'https://pay.example': known['<sandbox>']!,
        '<reference of your order>': 'order-1',
        '<amount>': '92.50',
        'curl ': 'curl --fail --silent --show-error ',
      };
      const scripts = await fetch(`${known['<sandbox>']}/js/v1/scripts.json`);
      write('approved-scripts.json', await scripts.text());

      for (const { command } of printed) await mustRun(replaceWords(command, words));

      expect(printed.length).toBeGreaterThan(10);
    },
  );

  test('the programs print only commands that are run here', () => {
    const printed = [...new Set(outputs.flatMap(findInOutput))];

    expect(printed.length).toBeGreaterThan(20);
    expect(printed.filter((command) => !isRun(command))).toEqual([]);
  });
});

/** Runs commands one after another, and compares all of their ends at once. */
async function expectRuns(runs: readonly ProgramRun[], { isEndless = false } = {}): Promise<void> {
  const ends: unknown[] = [];
  for (const [command, , , learns = {}] of runs) {
    const { exitCode, output } = await run(command, isEndless);
    outputs.push(output);
    ends.push([command, exitCode, output.trimEnd().split('\n').at(-1)]);
    for (const [name, pattern] of Object.entries(learns))
      known[name] = pattern.exec(output)?.[1] ?? `no ${name} in: ${output}`;
  }

  expect(ends).toEqual(
    runs.map(([command, code, lastLine]) => [command, code, expect.stringMatching(lastLine)]),
  );
}

async function run(command: string, isEndless: boolean) {
  const filled = command.replaceAll(/<[a-z-]+>/g, (name) => known[name] ?? name);
  // the shell survives Ctrl-C, as a terminal does, and tells the exit code
  const program = start(`trap : INT; ${filled} 2>&1; exit $?`);
  if (isEndless) {
    await vi.waitFor(() => expect(program.output).toMatch(/^Dashboard: |^ {2}ok /m), READY);
    program.pressCtrlC();
  }
  return program.result();
}

function start(command: string, sandboxPort = '0'): ShellProgram {
  const isSandbox = command.includes('service-pay-sandbox');
  const environment = isSandbox ? { SANDBOX_PORT: sandboxPort } : {};
  const program = new ShellProgram(command, folder, environment);
  running.push(program);
  return program;
}

async function startShop(): Promise<void> {
  shop = start(`${quickStart.command('node')} | tee -a shop.log`);
  await vi.waitFor(() => fetch(known['<shop>']!), READY);
}

async function mustRun(command: string) {
  const result = await start(command).result();
  expect(result.exitCode, result.output).toBe(0);
  return result;
}

async function control(at: string, method: string, path: string, body?: object): Promise<any> {
  const response = await fetch(`${known[at]}/_sandbox/${path}`, {
    method,
    ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  });
  expect(response.ok, path).toBe(true);
  return ((await response.json()) as { data: any }).data;
}

function write(name: string, text: string): void {
  writeFileSync(join(folder, name), text);
}

function read(file: string): string {
  return readFileSync(join(ROOT, file), 'utf8');
}

/** Makes orders in the shop's database, prints their references, and saves a signed webhook. */
const SEED = `
  import { writeFileSync } from 'node:fs';
  import { createPayments, signWebhook } from '@service-pay/server';
  import { ManualClock } from '@service-pay/server/testing';

  process.loadEnvFile('.env');
  const apiUrl = 'http://localhost:' + process.env.SANDBOX_PORT;
  const clock = new ManualClock(Date.now());
  const payments = await createPayments({
    apiUrl,
    apiToken: 'sec_sandbox_demo',
    publicKey: 'pub_sandbox_demo',
    database: process.env.DATABASE_URL,
    background: false,
    clock,
    log: { info() {}, warn() {}, error() {} },
    fulfil: async () => {
      throw new Error('The warehouse is closed.');
    },
  });
  const amounts = {
    open: null, paid: null, parked: '92.50', refunded: '92.50', short: '10.00', long: '99.00',
  };
  for (const [name, amount] of Object.entries(amounts)) {
    const data = { sku: 'honey', email: name + '@shop.example' };
    const { reference } = await payments.create({ amount: '92.50', currency: 'ZMW', owner: 'ann', data });
    console.log(name, reference);
    if (amount === null) continue;
    await fetch(apiUrl + '/_sandbox/collections', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ reference, amount }),
    });
    await payments.confirm(reference, { owner: 'ann' });
  }
  for (let tries = 0; tries < 10; tries++) {
    await payments.work();
    await clock.advance(3_600_000);
  }
  await payments.close();
  const body = '{"event":"collection.successful"}';
  const signature = signWebhook(body, 'sec_sandbox_demo');
  writeFileSync('delivery.http', 'X-ServicePay-Signature: ' + signature + '\\r\\n\\r\\n' + body);`;
