import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { pack } from '../packages/pack.ts';
import { PACKAGES } from '../packages/packages.ts';
import { runProgram } from '../programs/run-tool.ts';
import { expectEveryBlockRun } from './every-block.ts';
import { MarkedPage } from './marked-page.ts';

const PATIENT_MS = 5 * 60_000;

const PNPM = 'pnpm@12.21.0';
const YARN = '@yarnpkg/cli-dist@4.18.1';

const SHOP = `
import { createPayments } from '@service-pay/server';
import { startSandbox } from '@service-pay/sandbox';
const sandbox = await startSandbox();
const payments = await createPayments({
  apiUrl: sandbox.url, apiToken: 'sec_sandbox_demo', publicKey: 'pub_sandbox_demo',
  database: 'file:shop.db', background: false, fulfil() {}, log: console,
});
const order = { amount: '92.50', currency: 'ZMW', owner: 'ann', data: {} };
const { reference } = await payments.create(order);
await sandbox.control.pay({ reference, amount: '92.50', currency: 'ZMW' });
const { shown } = await payments.confirm(reference, { owner: 'ann' });
console.log('paid:', shown.status);
await payments.close();
await sandbox.close();
`;

const page = new MarkedPage('docs/install.md');
const folder = mkdtempSync(join(tmpdir(), 'service-pay-install-'));

beforeAll(async () => {
  for (const workspace of PACKAGES) await pack(workspace, join(folder, 'vendor'));
}, PATIENT_MS);

afterAll(() => rmSync(folder, { recursive: true, force: true }), PATIENT_MS);

describe('the packages, installed as the page says', () => {
  test('the packages, installed as the page says, take a payment with pnpm', {
    timeout: PATIENT_MS,
  }, async () => {
    const shop = makeShop('pnpm', {});
    page.write(shop, 'pnpm-workspace.yaml');

    await run(shop, 'sh', '-c', page.command('pnpm').replace('pnpm', `npx --yes ${PNPM}`));

    expect(await run(shop, 'node', 'shop.js')).toContain('paid: successful');
  });

  test("the packages, installed as the page says, take a payment with Yarn's Plug'n'Play", {
    timeout: PATIENT_MS,
  }, async () => {
    const shop = makeShop('yarn', JSON.parse(page.example('yarn')));
    writeFileSync(join(shop, 'yarn.lock'), ''); // a project of its own
    writeFileSync(join(shop, '.yarnrc.yml'), 'nodeLinker: pnp\nenableTelemetry: false\n');
    const npx = ['npx', '--yes', '--package', YARN] as const;

    await run(shop, ...npx, 'yarn', 'install');

    expect(await run(shop, ...npx, 'yarn', 'node', 'shop.js')).toContain('paid: successful');
  });
});

expectEveryBlockRun(['docs/install.md']);

function makeShop(name: string, manifest: object): string {
  const shop = join(folder, name);
  mkdirSync(shop);
  writeFileSync(join(shop, 'package.json'), JSON.stringify({ type: 'module', ...manifest }));
  writeFileSync(join(shop, 'shop.js'), SHOP);
  symlinkSync('../vendor', join(shop, 'vendor'));
  return shop;
}

async function run(cwd: string, program: string, ...words: string[]): Promise<string> {
  const { exitCode, output } = await runProgram(program, words, { cwd, quiet: true });
  expect(exitCode, output).toBe(0);
  return output;
}
