import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Sandbox, startSandbox } from '@service-pay/sandbox';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildPackedShop, type PackedShop } from '../packages/packed-shop.ts';
import { ROOT, runNode, runTool } from '../programs/run-tool.ts';
import { expectEveryBlockRun } from './every-block.ts';
import { MarkedPage } from './marked-page.ts';

const PATIENT_MS = 5 * 60_000;

/** Finds members that a printed example reads and the package does not have. */
const TYPE_CHECK = [
  ...['--noEmit', '--allowJs', '--checkJs', '--ignoreConfig', '--skipLibCheck'],
  ...['--module', 'nodenext', '--strict', 'false'],
  ...['--typeRoots', join(ROOT, 'node_modules/@types'), '--types', 'node'],
];

const SERVER = new MarkedPage('server/README.md');
const QUICK_START = new MarkedPage('README.md');

let shop: PackedShop;
let sandbox: Sandbox;

beforeAll(async () => {
  shop = await buildPackedShop();
  sandbox = await startSandbox();
}, PATIENT_MS);

afterAll(async () => {
  await sandbox?.close();
  await shop?.remove();
});

test('server/README.md creates an order and says in the printed fields how it stands', async () => {
  const output = await run(`
    import { createPayments } from '@service-pay/server';
    const payments = await createPayments({
      apiUrl: '${sandbox.url}',
      apiToken: 'sec_sandbox_demo',
      publicKey: 'pub_sandbox_demo',
      database: 'file:shop.db',
      fulfil: async () => {},
      log: console,
    });
    ${SERVER.example('create')}
    const { reference, owner } = payment;
    await fetch('${sandbox.url}/_sandbox/pay', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ reference, amount: '92.50', phone: '0960000000' }),
    });
    ${SERVER.example('confirm')}
    console.log('SHOWN ' + JSON.stringify({ shown, message, reference }));`);
  const { reference, shown, message } = JSON.parse(/SHOWN (.*)/.exec(output)![1]!);

  const [, printed = ''] = /\/\/ shown: (\{.*\})/.exec(SERVER.example('confirm')) ?? [];
  const fields = printed.match(/\w+(?=[:, ]+['\w}])/g)!.filter((name) => name in shown);
  expect(Object.keys(shown)).toEqual(fields);
  expect(shown).toMatchObject({ reference, status: 'pending', isWaitingForCustomer: true });
  expect(message).toContain('waiting for you');
});

test("server/README.md gives a guest's orders to the account that signs in, for its own server.mjs, and no account's orders to another (D64, T150)", async () => {
  const [findOwner] = /^const findOwner = .*$/m.exec(QUICK_START.file('server.mjs'))!;
  const output = await run(`
    import express from 'express';
    import { createPayments } from '@service-pay/server';
    import { readJson } from '@service-pay/server/express';
    const payments = await createPayments({
      apiUrl: '${sandbox.url}',
      apiToken: 'sec_sandbox_demo',
      publicKey: 'pub_sandbox_demo',
      database: 'file:shop.db',
      fulfil: async () => {},
      log: console,
    });
    ${findOwner}
    const checkPassword = async ({ email }) => ({ ownerId: 'account-of-' + email.split('@')[0] });
    const app = express();
    ${SERVER.example('sign-in')}
    app.get('/owner', (req, res) => res.json(findOwner(req)));
    const server = app.listen(0);
    const { port } = Object(server.address());
    const url = 'http://localhost:' + port;
    const signIn = async (cookie, email) => {
      const headers = { cookie, 'content-type': 'application/json' };
      const body = JSON.stringify({ email });
      const response = await fetch(url + '/sign-in', { method: 'POST', headers, body });
      return response.headers.get('set-cookie').split(';')[0];
    };
    const openOf = async (cookie) => {
      const owner = await (await fetch(url + '/owner', { headers: { cookie } })).json();
      return (await payments.findOpen({ owner }))?.reference;
    };
    const order = { amount: '92.50', currency: 'ZMW', owner: 'a-guest', data: {} };
    const { reference } = await payments.create(order);
    const mary = await signIn('owner=a-guest', 'mary@example.com');
    console.log('MARY', (await openOf(mary)) === reference);
    const john = await signIn(mary, 'john@example.com');
    console.log('JOHN', await openOf(john), (await openOf(mary)) === reference);
    server.close();
    await payments.close();`);

  expect(output).toContain('MARY true');
  expect(output).toContain('JOHN undefined true');
});

test('server/README.md has a payment verified, in a test whose clock it moves', async () => {
  const output = await run(`
    ${SERVER.example('testing')}
    console.log('SHOWN', shown.status);`);

  expect(output).toContain('SHOWN successful');
});

test('sandbox/README.md moves the clock of a sandbox in a test', async () => {
  const example = new MarkedPage('sandbox/README.md').example('test');

  const output = await run(
    `${example}\nconsole.log('HAS', (await sandbox.control.collections()).rows.length);`,
  );

  expect(output).toContain('HAS 1');
});

test('contract/README.md parses a response', async () => {
  await sandbox.control.putCollection({ reference: 'order-1' });
  const example = new MarkedPage('contract/README.md').example('parse');

  const output = await run(`
    const headers = { authorization: 'Bearer sec_sandbox_demo' };
    const url = '${sandbox.url}/access/v2/collections/status/order-1';
    const response = await fetch(url, { headers });
    ${example.replace('  // Now compare', "  console.log('FINAL', body.output.data.reference); //")}`);

  expect(output).toContain('FINAL order-1');
});

expectEveryBlockRun(['server/README.md', 'sandbox/README.md', 'contract/README.md']);

/** Runs a module with the packed packages, and returns what it prints. */
async function run(code: string): Promise<string> {
  writeFileSync(join(shop.folder, 'example.js'), `${code}\nprocess.exit();\n`);
  const checked = await runTool('tsc', [...TYPE_CHECK, 'example.js'], { cwd: shop.folder });
  expect(checked.exitCode, checked.output).toBe(0);
  const { exitCode, output } = await runNode(['example.js'], { cwd: shop.folder, quiet: true });
  expect(exitCode, output).toBe(0);
  return output;
}
