import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import express from 'express';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runCommandIn, runShopCommand } from '../../test/command.ts';
import { buildTestLog } from '../../test/parts.ts';
import { PATIENT_DATABASE } from '../../test/patience.ts';
import { postWebhook, startTestShop, type TestShop } from '../../test/shop.ts';
import { createPayments } from '../create-payments.ts';
import { openDatabase } from '../database/open.ts';
import { bodyAlreadyRead } from '../errors.ts';
import { webhookRoute } from '../express/index.ts';
import { DATABASES, makeDatabaseUrl } from '../testing/databases.ts';
import { signatureOf, startUpstream, TOKEN } from '../testing/upstream.ts';
import type { Config } from './settings.ts';

const SCRIPT = '/js/v1/inline.js';
const folder = mkdtempSync(join(tmpdir(), 'doctor-'));

afterAll(() => rmSync(folder, { recursive: true }));

const problemsOf = (report: string) =>
  report.split('\n').filter((line) => line.startsWith('problem'));

describe.each(DATABASES)('service-pay doctor, on %s', (kind) => {
  let service: Awaited<ReturnType<typeof startService>>;
  let shop: TestShop;

  beforeAll(async () => {
    service = await startService();
    shop = await startTestShop(service.url, {}, {}, kind);
  });

  afterAll(async () => {
    await shop.close();
    await service.close();
  });

  const doctor = (words: string[] = [], environment: Record<string, string> = {}) =>
    runShopCommand('doctor', shop.config, words, { PUBLIC_URL: shop.url, ...environment });

  test('service-pay doctor finds nothing wrong with a shop that runs, and leaves nothing behind', async () => {
    const { stdout, stderr } = await doctor();

    expect(problemsOf(stdout)).toEqual([]);
    for (const check of ['Service', 'Popup script', 'Database', 'Writing', 'Webhook'])
      expect(stdout).toMatch(new RegExp(`^ok +${check} `, 'm'));
    expect(stderr).toBe('');
    expect(await shop.rows('select id from service_pay_webhook_deliveries')).toEqual([]);
    expect(
      await shop.rows("select reference from service_pay_idempotency_keys where owner = 'doctor'"),
    ).toEqual([]);
    expect(stdout).not.toContain(TOKEN);
  });

  test('service-pay doctor names what a token that is not the running shop’s does', async () => {
    const { code, stdout } = await doctor([], {
      SERVICE_PAY_API_TOKEN: 'sec_sandbox_wrong_0123',
    });

    expect(code).toBe(1);
    expect(stdout).toMatch(/^problem +Service +The service rejects the API token/m);
    expect(stdout).toMatch(/^problem +Webhook +The running shop rejects a signature/m);
    expect(stdout).not.toContain('sec_sandbox_wrong');
  });

  test('service-pay doctor says so where the service’s webhooks do not arrive, and no more once one did', async () => {
    const reference = await shop.browser().order();
    const database = await openDatabase(shop.config.databaseUrl, PATIENT_DATABASE);
    const paidAWhileAgo = { state: 'paid', created_at: Date.now() - 120_000 } as const;
    await database.db
      .updateTable('service_pay_payments')
      .set(paidAWhileAgo)
      .where('reference', '=', reference)
      .execute();
    await database.close();

    const missed = await doctor();
    await postWebhook(shop, reference);
    const report = await doctor();

    expect(missed.code).toBe(1);
    expect(missed.stdout).toMatch(
      /^problem +Deliveries +No webhook arrived for any of the 1 most recent paid.*\n +→ Give the provider/m,
    );
    expect(report.stdout).toMatch(
      /^ok +Deliveries +Webhooks arrived for 1 of the 1 most recent paid payments\.$/m,
    );
  });
});

describe('service-pay doctor, where something is wrong', () => {
  const config: Config = {
    databaseUrl: `file:${join(folder, 'shop.db')}`,
    publicUrl: 'http://localhost:9',
    apiUrl: 'http://localhost:9',
    scriptUrl: `http://localhost:9${SCRIPT}`,
    publicKey: undefined,
    apiToken: TOKEN,
    previousApiToken: undefined,
    port: 3000,
  };
  beforeAll(async () => (await openDatabase(config.databaseUrl, PATIENT_DATABASE)).close());

  const doctor = (environment: Record<string, string> = {}, words: string[] = []) =>
    runShopCommand('doctor', config, words, environment);

  test('service-pay doctor names every bad setting that it uses, and no value (T78)', async () => {
    const { code, stdout, stderr } = await doctor({
      DATABASE_URL: 'mysql://canary',
      PUBLIC_URL: 'x',
      SERVICE_PAY_API_TOKEN: 'pub_canary_0123456789',
    });

    expect(code).toBe(1);
    expect(stdout).toBe('');
    expect(stderr).toMatch(/^Correct these settings.*(?:\n- .+){3}\n$/);
    expect(stderr).not.toContain('canary');
  });

  test('service-pay doctor names a parser that reads webhooks before their route (T131)', async () => {
    const { message } = bodyAlreadyRead();
    const server = await startUpstream((_req, res) =>
      res.writeHead(500).end(JSON.stringify({ status: false, message })),
    );

    const { stdout } = await doctor({ PUBLIC_URL: server.url });
    await server.close();

    expect(stdout).toMatch(
      /^problem +Webhook +The running shop cannot verify webhooks: something reads.*\n +→ Mount/m,
    );
  });

  test('service-pay doctor names what does not respond, and what to start', async () => {
    const { code, stdout } = await doctor();

    expect(code).toBe(1);
    expect(stdout).toMatch(
      /^problem +Service +.*could not be reached.*ECONNREFUSED: nothing listens there.*\n +→ .*start the sandbox: npx --no -- service-pay-sandbox --port \d+ --webhook-url http:\/\/\S+\/webhooks\/service-pay$/m,
    );
    expect(stdout).toMatch(
      /^problem +Webhook +http:\/\/localhost:9\/webhooks\/service-pay: ECONNREFUSED: nothing listens there\..*\n +→ Start the shop/m,
    );
    expect(stdout).toMatch(/^ok +Writing/m);
  });

  test.each([
    [
      'no API',
      (): [number, string] => [404, '<h1>Not found</h1>'],
      /Service +http:.*: The service responded with 404, which is not a response/,
    ],
    [
      'a redirect',
      (): [number, string] => [302, ''],
      /Service +http:.*: The service responded with 302, which is not a response/,
    ],
    [
      'a service in trouble',
      (): [number, string] => [503, ''],
      /Service +http:.*: The service responded with 503\.\n +→ Payments are confirmed once/,
    ],
    [
      'a page that says yes to all',
      (): [number, string] => [200, '{"status":true}'],
      /Webhook +A signed event is accepted, but stored in another database/,
    ],
  ])('service-pay doctor reports %s', async (_name, respond, sentence) => {
    const upstream = await startUpstream((_req, res) => {
      const [status, body] = respond();
      res.writeHead(status, { location: '/elsewhere' }).end(body);
    });

    const { code, stdout } = await doctor({
      SERVICE_PAY_API_URL: upstream.url,
      SERVICE_PAY_SCRIPT_URL: upstream.url + SCRIPT,
      PUBLIC_URL: upstream.url,
    });

    expect(code).toBe(1);
    expect(stdout).toMatch(sentence);
    expect(stdout).toMatch(/^problem +Popup script/m);
    await upstream.close();
  });

  test('service-pay doctor finds nothing wrong with a shop of another framework, which has no /healthz', async () => {
    const service = await startService();
    const made = await makeDatabaseUrl('sqlite');
    const payments = await createPayments({
      apiUrl: service.url,
      apiToken: TOKEN,
      publicKey: 'pub_sandbox_demo',
      database: made.url,
      fulfil: async () => {},
      log: buildTestLog(),
    });
    const shop = express().use(webhookRoute(payments)).listen(0, '127.0.0.1');
    await once(shop, 'listening');

    const { code, stdout } = await runCommandIn(
      {
        SERVICE_PAY_API_URL: service.url,
        SERVICE_PAY_API_TOKEN: TOKEN,
        PORT: `${(shop.address() as AddressInfo).port}`,
        SERVICE_PAY_SCRIPT_URL: service.url + SCRIPT,
      },
      'doctor',
      ['--database', made.url],
    );
    shop.close();
    await payments.close();
    await Promise.all([service.close(), made.drop()]);

    expect(problemsOf(stdout)).toEqual([]);
    expect(stdout).toMatch(/^ok +Webhook +A signed event arrives and is stored\.$/m);
    expect(code).toBe(0);
  });

  test('service-pay doctor finds that the running shop stores elsewhere', async () => {
    const service = await startService();
    const shop = await startTestShop(service.url);

    const { stdout } = await doctor({ PUBLIC_URL: shop.url });

    expect(stdout).toMatch(
      /^problem +Webhook +A signed event is accepted, but stored in another database/m,
    );
    await shop.close();
    await service.close();
  });

  test('service-pay doctor finds a database that cannot be opened, and shows no password', async () => {
    const { stdout, stderr } = await doctor({
      DATABASE_URL: 'postgres://shop:canary-password@127.0.0.1:9/shop',
    });

    expect(stdout).toMatch(
      /^problem {2}Database {6}The PostgreSQL database shop on 127\.0\.0\.1:9 cannot be used/m,
    );
    expect(stdout + stderr).not.toContain('canary-password');
  });

  test('service-pay doctor reads a rejected delivery from a file, and names the cause (T83)', async () => {
    const body = '{"event":"collection.successful","data":{"reference":"ref-1"}}';
    const head = `POST /webhooks/service-pay HTTP/1.1\nHost: shop.example\nX-ServicePay-Signature: ${signatureOf(body)}`;

    const right = await doctor({}, ['--delivery', write('right.http', `${head}\n\n${body}`)]);
    const spaced = body.replace(':', ': ');
    const wrong = await doctor({}, ['--delivery', write('wrong.http', `${head}\n\n${spaced}`)]);

    expect(right).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^ok +Signature .*\n$/),
    });
    expect(wrong).toMatchObject({ code: 1, stdout: expect.stringContaining('encoded again') });
    for (const { stdout } of [right, wrong]) expect(stdout).not.toContain(TOKEN);
  });

  test.each([
    [['now'], /^Usage: npx --no -- service-pay doctor/],
    [['--headers', 'h.txt'], /^Unknown option '--headers'/],
    [['--delivery', 'no-such-file'], /^The file of --delivery cannot be read \(ENOENT\)/],
  ])('service-pay doctor %j ends with a sentence and exit 1', async (words, sentence) => {
    expect(await doctor({}, words)).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(sentence),
    });
  });
});

/** Plays a service that knows no payment, and its popup script. */
function startService() {
  return startUpstream(({ url, headers }, res) => {
    if (url === SCRIPT) return void res.writeHead(200, { 'content-type': 'text/javascript' }).end();
    const isRejected = headers.authorization !== `Bearer ${TOKEN}`;
    res
      .writeHead(isRejected ? 401 : 404)
      .end(`{"status":false,"message":"","errorCode":"${isRejected ? '13' : '11'}"}`);
  });
}

function write(name: string, content: string): string {
  const file = join(folder, name);
  writeFileSync(file, content);
  return file;
}
