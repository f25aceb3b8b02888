import { execFile } from 'node:child_process';
import { copyFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Environments, ORDER, PRODUCTION } from '../../test/environments.ts';
import { PATIENT_DATABASE } from '../../test/patience.ts';
import { buildFetchHandler } from '../fetch/handler.ts';
import { DATABASES, makeDatabaseUrl } from '../testing/databases.ts';
import { signedWebhook, TOKEN } from '../testing/upstream.ts';
import { nameService } from './environment.ts';

let environments: Environments;

describe.each(DATABASES)('the database of another environment, on %s (T149)', (kind) => {
  beforeEach(async () => {
    environments = await Environments.make(kind);
  });

  afterEach(() => environments.close());

  test('the database of another environment belongs to the first shop, which logs it, and opens again for the same', async () => {
    await environments.open({ ...PRODUCTION, background: false });
    await environments.open({ ...PRODUCTION, apiUrl: 'HTTPS://Pay.Example:443/' });

    expect(await environments.readPairs()).toEqual(['https://pay.example pub_live']);
    expect(environments.lines).toEqual([
      {
        level: 'info',
        message: 'database belongs to this service and public key now',
        fields: { service: 'https://pay.example', publicKey: 'pub_live' },
      },
    ]);
  });

  test.each([
    ['another service', {}],
    ['another public key of the same service', { ...PRODUCTION, publicKey: 'pub_test' }],
    ['a function', { background: false }],
  ])(
    'the database of another environment is closed to %s before its service is called and anything changes',
    async (_who, options) => {
      await environments.openProduction();
      const before = await environments.readAll();

      await expect(environments.open(options)).rejects.toMatchObject({
        code: 'unavailable',
        message: expect.stringMatching(
          /^The (?:PostgreSQL database|database file) cannot be used: it belongs to https:\/\/pay\.example with the public key pub_live, and not to \S+ with the public key pub_test\. It was left as it is\. Give each environment a (?:database|file) of its own, .+ If the service moved or the key changed, run: npx --no -- service-pay environment add \S+ pub_test$/,
        ),
      });

      expect(await environments.readAll()).toEqual(before);
      expect(environments.service.calls).toEqual([]);
    },
  );

  test('the database of another environment is closed to a newer version before it migrates the tables', async () => {
    await environments.openProduction();
    await environments.change(`delete from service_pay_migrations where name like '0010%'`);

    await expect(environments.open()).rejects.toThrow(/it belongs to https:\/\/pay\.example/);
  });

  test('the database of another environment keeps serving its own shop through the fetch handler', async () => {
    const payments = await environments.open({ background: false });
    const handle = buildFetchHandler(payments, {
      findOwner: () => ORDER.owner,
      checkoutOptions: (payment) => payments.checkoutOptions(payment, { email: 'a@example.com' }),
    });
    const { reference } = await payments.create(ORDER);
    const { body, headers } = signedWebhook('collection.successful', { reference });
    const url = 'http://localhost/webhooks/service-pay';

    expect((await handle(new Request(url, { method: 'POST', headers, body }))).status).toBe(200);
    await payments.work();

    expect(environments.fulfilled).toEqual([reference]);
  });

  test('the database of another environment opens for a shop on any port of this machine, as the sandbox of npm start has', async () => {
    const { url } = environments.service;
    for (const apiUrl of [url, 'http://localhost:1', 'http://[::1]:2', 'https://127.0.0.2'])
      await (await environments.open({ apiUrl, background: false })).close();

    expect(await environments.readPairs()).toEqual(['http://localhost pub_test']);
  });

  test('the database of another environment has one owner where two environments open an empty one at the same moment', async () => {
    const preview = { apiUrl: environments.service.url, publicKey: 'pub_test' };

    const outcomes = await Promise.all(
      [preview, PRODUCTION, preview, PRODUCTION].map((settings) => openInProcess(settings)),
    );

    expect(outcomes.toSorted()).toEqual(['opened', 'opened', 'rejected', 'rejected']);
    expect(await environments.readPairs()).toHaveLength(1);
  });

  /** Opens the database in a process of its own, and returns how that ended. */
  async function openInProcess(settings: object): Promise<string> {
    const database = environments.home.url;
    const options = { ...settings, apiToken: TOKEN, database, background: false };
    const program = `
      import { createPayments } from ${JSON.stringify(new URL('../index.ts', import.meta.url).href)};
      import { testHooks } from ${JSON.stringify(new URL('../support/test-hooks.ts', import.meta.url).href)};
      const hooks = testHooks(${JSON.stringify(PATIENT_DATABASE)});
      const options = { ...${JSON.stringify(options)}, ...hooks };
      const log = { info() {}, warn() {}, error() {} };
      createPayments({ ...options, log, fulfil() {} }).then(
        (payments) => payments.close().then(() => console.log('opened')),
        ({ message }) => console.log(/belongs to/.test(message) ? 'rejected' : message));`;
    const words = ['--input-type=module', '-e', program];
    return (await promisify(execFile)(process.execPath, words)).stdout.trim();
  }
});

test('a restored file belongs to the environment of its backup (T149)', async () => {
  environments = await Environments.make('sqlite');
  await environments.openProduction();
  const restored = await makeDatabaseUrl('sqlite');
  const pathOf = (url: string) => url.slice('file:'.length);
  copyFileSync(pathOf(environments.home.url), pathOf(restored.url));

  await expect(environments.open({ database: restored.url })).rejects.toThrow(/belongs to https/);

  await Promise.all([environments.close(), restored.drop()]);
});

test.each([
  ['https://pay.example', 'https://pay.example'],
  ['https://PAY.example.:443/', 'https://pay.example'],
  ['https://pay.example/api/', 'https://pay.example/api'],
  ['https://pay.example:8443', 'https://pay.example:8443'],
  ['https://bücher.example', 'https://xn--bcher-kva.example'],
  ['http://localhost:4010', 'http://localhost'],
  ['http://127.0.0.1:1/x', 'http://localhost'],
  ['http://[::1]:1', 'http://localhost'],
  ['http://shop.localhost', 'http://localhost'],
])('the service at %s is written as %s', (address, name) => {
  expect(nameService(address)).toBe(name);
});
