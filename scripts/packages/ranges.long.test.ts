import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DATABASES, makeDatabaseUrl } from '@service-pay/server/testing';
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
import { limitOrders, webhookRoute } from '@service-pay/server/express';
const [database] = process.argv.slice(2);
const sandbox = await startSandbox();
let fulfilled;
const shipped = new Promise((resolve) => { fulfilled = resolve; });
const payments = await createPayments({
  apiToken: 'sec_sandbox_demo',
  apiUrl: sandbox.url,
  publicKey: 'pub_sandbox_demo',
  database,
  fulfil: async (order) => fulfilled(order.id),
  log: console,
});
const order = { amount: '92.50', currency: 'ZMW', owner: 'ada', data: {} };
const { reference } = await payments.create(order);
await sandbox.control.pay({ reference, amount: '92.50', currency: 'ZMW' });
const { shown } = await payments.confirm(reference, { owner: 'ada' });
await shipped;
if (!limitOrders() || !webhookRoute(payments)) throw new Error('no routes');
console.log('paid and fulfilled:', shown.status);
await payments.close();
await sandbox.close();
`;

const PEERS = ['better-sqlite3', 'express', 'express-rate-limit', 'pg'];

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
    const oldest = await oldestAllowed();
    const peers = Object.fromEntries(
      PEERS.map((name) => [name, which === 'oldest' ? oldest[name]! : 'latest']),
    );
    const overrides = { ...(which === 'oldest' && oldest), ...ours };
    for (const name of PEERS) if (name in overrides) overrides[name] = `$${name}`;
    const manifest = { type: 'module', dependencies: { ...tarballs, ...peers }, overrides };
    writeFileSync(join(shop, 'package.json'), JSON.stringify(manifest));
    writeFileSync(join(shop, 'shop.js'), SHOP);

    const installed = await runProgram('npm', ['install', ...UNLOCKED_INSTALL], {
      cwd: shop,
      quiet: true,
    });
    expect(installed.exitCode, installed.output).toBe(0);
    for (const kind of DATABASES) {
      const database = await makeDatabaseUrl(kind);
      const { output } = await runNode(['shop.js', database.url], { cwd: shop, quiet: true });
      await database.drop();

      expect(output).toContain('paid and fulfilled: successful');
    }
  },
);

/** Returns the lower end of each range in our packages. */
async function oldestAllowed(): Promise<Record<string, string>> {
  const oldest: Record<string, string> = {};
  for (const tarball of Object.values(tarballs)) {
    const path = tarball.replace('file:', '');
    const args = ['-xzOf', path, 'package/package.json'];
    const { output } = await runProgram('tar', args, { quiet: true });
    const { dependencies, peerDependencies } = JSON.parse(output);
    const ranges = Object.entries<string>({ ...dependencies, ...peerDependencies });
    for (const [name, range] of ranges)
      if (range.startsWith('^')) oldest[name] = /^\^(\S+)/.exec(range)![1]!;
  }
  return oldest;
}
