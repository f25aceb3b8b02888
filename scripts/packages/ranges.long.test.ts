import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { runNode, runProgram } from '../programs/run-tool.ts';
import { UNLOCKED_INSTALL } from './installed-project.ts';
import { pack } from './pack.ts';
import { PACKAGES } from './packages.ts';

const PATIENT_MS = 5 * 60_000;

/** Pays an order at the sandbox and has it fulfilled by the server package. */
const SHOP = `
import { startSandbox } from '@service-pay/sandbox';
import { createPayments } from '@service-pay/server';
const sandbox = await startSandbox();
let fulfilled;
const shipped = new Promise((resolve) => { fulfilled = resolve; });
const payments = await createPayments({
  apiToken: 'sec_sandbox_demo',
  apiUrl: sandbox.url,
  publicKey: 'pub_sandbox_demo',
  database: 'file:shop.db',
  fulfil: async (order) => fulfilled(order.id),
  log: console,
});
const order = { amount: '92.50', currency: 'ZMW', owner: 'ada', data: {} };
const { reference } = await payments.create(order);
await sandbox.control.pay({ reference, amount: '92.50', currency: 'ZMW' });
const { shown } = await payments.confirm(reference, { owner: 'ada' });
await shipped;
console.log('paid and fulfilled:', shown.status);
await payments.close();
await sandbox.close();
`;

const folder = mkdtempSync(join(tmpdir(), 'service-pay-ranges-'));
const tarballs: Record<string, string> = {};
beforeAll(async () => {
  for (const each of PACKAGES)
    tarballs[`@service-pay/${each}`] = `file:${join(folder, await pack(each, folder))}`;
}, PATIENT_MS);
afterAll(() => rmSync(folder, { recursive: true }));

test.each(['newest', 'oldest'])(
  'the packages work with the %s versions they allow',
  {
    timeout: PATIENT_MS,
  },
  async (which) => {
    const shop = mkdtempSync(join(folder, 'shop-'));
    const ours = Object.fromEntries(Object.keys(tarballs).map((name) => [name, `$${name}`]));
    const overrides = { ...(which === 'oldest' && (await oldestAllowed())), ...ours };
    const manifest = { type: 'module', dependencies: tarballs, overrides };
    writeFileSync(join(shop, 'package.json'), JSON.stringify(manifest));
    writeFileSync(join(shop, 'shop.js'), SHOP);

    const installed = await runProgram('npm', ['install', ...UNLOCKED_INSTALL], {
      cwd: shop,
      quiet: true,
    });
    expect(installed.exitCode, installed.output).toBe(0);
    const { output } = await runNode(['shop.js'], { cwd: shop, quiet: true });

    expect(output).toContain('paid and fulfilled: successful');
  },
);

/** Returns the lower end of each range in our packages. */
async function oldestAllowed(): Promise<Record<string, string>> {
  const oldest: Record<string, string> = {};
  for (const tarball of Object.values(tarballs)) {
    const path = tarball.replace('file:', '');
    const args = ['-xzOf', path, 'package/package.json'];
    const { output } = await runProgram('tar', args, { quiet: true });
    for (const [name, range] of Object.entries(JSON.parse(output).dependencies ?? {}))
      if (String(range).startsWith('^')) oldest[name] = String(range).slice(1);
  }
  return oldest;
}
