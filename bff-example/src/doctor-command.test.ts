import { createHmac } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Sandbox, startSandbox } from '@service-pay/sandbox';
import { openDatabase } from '@service-pay/server/database/open';
import { runShopCommand } from '@service-pay/server/test/command';
import { DATABASES } from '@service-pay/server/test/database';
import {
  signatureOf,
  signedWebhook,
  startUpstream,
  TOKEN,
} from '@service-pay/server/test/upstream';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestShop, type TestShop, tell } from './test-shop.ts';

const SCRIPT = '/js/v1/inline.js';
const folder = mkdtempSync(join(tmpdir(), 'doctor-'));

afterAll(() => rmSync(folder, { recursive: true }));

/**
 * Lines of a report that name a problem, but for the rights of a `.env` that the developer of this
 * checkout may have.
 */
const problemsOf = (report: string) =>
  report.split('\n').filter((line) => line.startsWith('problem') && !line.includes(' .env '));

describe.each(DATABASES)('npm run doctor, on %s', (kind) => {
  let sandbox: Sandbox;
  let shop: TestShop;

  beforeAll(async () => {
    sandbox = await startSandbox();
    shop = await startTestShop(sandbox.url, {}, {}, kind);
  });

  afterAll(async () => {
    await shop.close();
    await sandbox.close();
  });

  const doctor = (words: string[] = [], environment: Record<string, string> = {}) =>
    runShopCommand('doctor', shop.config, words, { PUBLIC_URL: shop.url, ...environment });

  test('finds nothing wrong with a shop that runs, and leaves nothing behind', async () => {
    const { stdout, stderr } = await doctor();

    expect(problemsOf(stdout)).toEqual([]);
    for (const check of [
      'Node.js',
      'Settings',
      'Keys',
      'Service',
      'API token',
      'Clock',
      'Popup script',
      'Database',
      'Writing',
      'Shop',
      'Webhook',
    ])
      expect(stdout).toMatch(new RegExp(`^ok +${check} `, 'm'));
    expect(stdout).not.toContain('not checked');
    expect(stderr).toBe('');
    expect(await shop.rows('select id from service_pay_webhook_deliveries')).toEqual([]);
    expect(
      await shop.rows("select reference from service_pay_idempotency_keys where owner = 'doctor'"),
    ).toEqual([]);
    expect(stdout).not.toContain(TOKEN);
    expect(stdout).not.toContain(shop.config.sessionSecret);
    expect(stdout).not.toContain('of-the-tests');
  });

  test('names what waits for a person, and what a token that is not the running shop’s does', async () => {
    const reference = await shop.browser().order();
    await sandbox.control.putCollection({ reference, amount: '1.00', currency: 'ZMW' });
    await runShopCommand('replay', shop.config, ['--reference', reference]);

    const { code, stdout } = await doctor([], {
      SERVICE_PAY_API_TOKEN: 'sec_sandbox_wrong_0123',
      SERVICE_PAY_PUBLIC_KEY: 'pub_live_mine',
    });

    expect(code).toBe(1);
    expect(stdout).toMatch(
      /^problem +Keys +The public key is one for real payments, and the API token one for trying out/m,
    );
    expect(stdout).toMatch(/^problem +API token +The service refuses it/m);
    expect(stdout).toMatch(/^problem +Webhook +The running shop refuses a signature/m);
    expect(stdout).toMatch(
      /^problem +In review +1 paid, but not as ordered.*\n +→ npm run orders -- needs-review$/m,
    );
    expect(stdout).not.toContain('sec_sandbox_wrong');
  });

  test('tells what became of a delivery in the inbox', async () => {
    const { id, body, headers } = signedWebhook('collection.successful', {
      reference: 'of-another-system',
    });
    await shop.browser().post('/webhooks/service-pay', body, headers);

    const { code, stdout } = await doctor(['--delivery', id.slice(0, 12)]);

    expect(code).toBe(1);
    expect(stdout).toMatch(/^ok +Signature +It held when the delivery arrived/m);
    expect(stdout).toMatch(
      /^problem +Event +collection\.successful for of-another-system, which is no payment of this shop/m,
    );
    expect((await doctor(['--delivery', '0'.repeat(64)])).stderr).toMatch(
      /^There is no such file, and no delivery/,
    );
  });

  test('says so where the service’s webhooks do not arrive, and no more once one did', async () => {
    const reference = await shop.browser().order();
    const database = await openDatabase(shop.config.databaseUrl);
    const paidAWhileAgo = { state: 'paid', created_at: Date.now() - 120_000 } as const;
    await database.db
      .updateTable('service_pay_payments')
      .set(paidAWhileAgo)
      .where('reference', '=', reference)
      .execute();
    await database.close();

    const missed = await doctor();
    await tell(shop, reference);
    const told = await doctor();

    expect(missed.code).toBe(1);
    expect(missed.stdout).toMatch(
      /^problem +Deliveries +No webhook of the service told of any of the newest 1 paid.*\n +→ Give the operator/m,
    );
    expect(told.stdout).toMatch(
      /^ok +Deliveries +Of the newest 1 paid, the service's webhooks told of 1\.$/m,
    );
  });
});

describe('npm run doctor, where something is wrong', () => {
  const config = {
    databaseUrl: `file:${join(folder, 'shop.db')}`,
    publicUrl: 'http://localhost:9',
    apiUrl: 'http://localhost:9',
    scriptUrl: `http://localhost:9${SCRIPT}`,
    publicKey: 'pub_sandbox_demo',
    apiToken: TOKEN,
    previousApiToken: undefined,
    sessionSecret: 'a-session-secret-of-the-tests-0123456789',
    port: 3000,
    host: '127.0.0.1',
    trustedProxies: 0,
    logLevel: 'info',
  } as const;
  const doctor = (environment: Record<string, string> = {}, words: string[] = []) =>
    runShopCommand('doctor', config, words, environment);

  test('names every setting, and no value (T78)', async () => {
    const { code, stdout } = await doctor({
      SESSION_SECRET: 'too-short-canary',
      PORT: 'x',
      SERVICE_PAY_API_TOKEN: 'pub_canary_0123456789',
    });

    expect(code).toBe(1);
    expect(stdout.match(/^problem +Settings /gm)).toHaveLength(3);
    expect(stdout).toMatch(/^not checked +The rest/m);
    expect(stdout).not.toContain('canary');
  });

  test('says what nobody answers, and what to start', async () => {
    const { code, stdout } = await doctor();

    expect(code).toBe(1);
    expect(stdout).toMatch(
      /^problem +Service +.*nothing listens there\.\n +→ Start the sandbox: npm run sandbox$/m,
    );
    expect(stdout).toMatch(/^not checked +API token/m);
    expect(stdout).toMatch(
      /^problem +Shop +PUBLIC_URL: nothing listens there\.\n +→ Start the shop: npm start$/m,
    );
    expect(stdout).toMatch(/^not checked +Webhook/m);
    expect(stdout).toMatch(/^ok +Writing/m);
  });

  test.each([
    [
      'no API',
      (): [number, string] => [404, '<h1>Not found</h1>'],
      /Service +SERVICE_PAY_API_URL answers 404, and not as the service does/,
    ],
    [
      'a redirect',
      (): [number, string] => [302, ''],
      /Service +SERVICE_PAY_API_URL answers with a redirect/,
    ],
    ['a service in trouble', (): [number, string] => [503, ''], /Service +The service answers 503/],
    [
      'a page that says yes to all',
      (): [number, string] => [200, '{"status":true}'],
      /Webhook +A signed event is accepted, but stored in another database|Shop +PUBLIC_URL answers 200/,
    ],
  ])('tells %s from what it should be', async (_name, answer, sentence) => {
    const upstream = await startUpstream((_req, res) => {
      const [status, body] = answer();
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

  test('finds a clock that is off by the Date of the service', async () => {
    const upstream = await startUpstream((_req, res) => {
      res.writeHead(404, { date: new Date(Date.now() - 3_600_000).toUTCString() });
      res.end('{"status":false,"message":"","errorCode":"11"}');
    });

    const { stdout } = await doctor({ SERVICE_PAY_API_URL: upstream.url });

    expect(stdout).toMatch(
      /^problem +Clock +This machine is 3\d{3} s ahead of the service's clock/m,
    );
    expect(stdout).toMatch(/^ok +API token/m);
    await upstream.close();
  });

  test('finds that the running shop stores elsewhere', async () => {
    const sandbox = await startSandbox();
    const shop = await startTestShop(sandbox.url);

    const { stdout } = await doctor({ PUBLIC_URL: shop.url });

    expect(stdout).toMatch(
      /^problem +Webhook +A signed event is accepted, but stored in another database/m,
    );
    await shop.close();
    await sandbox.close();
  });

  test('finds a database that cannot be opened, and shows no password', async () => {
    const { stdout } = await doctor({
      DATABASE_URL: 'postgres://shop:canary-password@127.0.0.1:9/shop',
    });

    expect(stdout).toMatch(/^problem +Database +The PostgreSQL database cannot be used/m);
    expect(stdout).not.toContain('canary-password');
  });

  test.each([
    [
      'a file with headers and body',
      (head: string, body: string) => ['--delivery', write('raw.http', `${head}\n\n${body}`)],
    ],
    [
      'two files',
      (head: string, body: string) => [
        '--headers',
        write('h.txt', head),
        '--body',
        write('b.bin', body),
      ],
    ],
  ])('reads a failing delivery from %s, and names the cause (T83)', async (_name, words) => {
    const body = '{"event":"collection.successful","data":{"reference":"ref-1"}}';
    const head = (signature: string) =>
      `POST /webhooks/service-pay HTTP/1.1\nHost: shop.example\nX-ServicePay-Signature: ${signature}`;

    const right = await doctor({}, words(head(signatureOf(body)), body));
    const indented = await doctor(
      {},
      words(head(signatureOf(body)), JSON.stringify(JSON.parse(body), null, 2)),
    );
    const itself = await doctor(
      {},
      words(head(createHmac('sha512', TOKEN).update(body).digest('hex')), body),
    );

    expect(right).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(
        /^ok +Signature .*\nok +Event +collection\.successful for ref-1/,
      ),
    });
    expect(indented).toMatchObject({ code: 1, stdout: expect.stringContaining('re-serialised') });
    expect(itself).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('keyed with the token itself'),
    });
    for (const { stdout } of [right, indented, itself]) expect(stdout).not.toContain(TOKEN);
  });

  test('names what the shop refuses before it looks at the signature', async () => {
    const body = `{"event":"${'x'.repeat(70_000)}"}`;
    const head = `Content-Length: 12\nContent-Encoding: gzip\nX-ServicePay-Signature: ${signatureOf(body)}`;

    const { stdout } = await doctor({}, [
      '--headers',
      write('h.txt', head),
      '--body',
      write('b.bin', body),
    ]);

    expect(stdout).toMatch(/Content-Length says 12: it is not the body that was sent/);
    expect(stdout).toMatch(/answers with 415/);
    expect(stdout).toMatch(/answers 413/);
  });

  test.each([
    ['is no JSON', 'hello'],
    ['names its event at too great length', `{"event":"${'x'.repeat(201)}"}`],
  ])('names what the shop answers to a signed body that %s (T88)', async (_name, body) => {
    const head = `X-ServicePay-Signature: ${signatureOf(body)}`;

    const { stdout } = await doctor({}, [
      '--headers',
      write('h.txt', head),
      '--body',
      write('b.bin', body),
    ]);

    expect(stdout).toMatch(/^ok +Signature/m);
    expect(stdout).toMatch(/^problem +Event .*answers 400/m);
  });

  test.each([
    [['--headers', 'h.txt'], /^Usage: npm run doctor/],
    [['now'], /^Usage: npm run doctor/],
    [['--delivery', 'no-such-file'], /^There is no such file/],
    [['--headers', 'none', '--body', 'none'], /^none cannot be read \(ENOENT\)/],
  ])('%j ends with a sentence and exit 1', async (words, sentence) => {
    expect(await doctor({}, words)).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(sentence),
    });
  });
});

function write(name: string, content: string): string {
  const file = join(folder, name);
  writeFileSync(file, content);
  return file;
}
