import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type Sandbox, startSandbox } from '@service-pay/sandbox';
import {
  makeDatabaseUrl,
  POSTGRES_IS_MISSING,
  readRows,
  type TestDatabase,
} from '@service-pay/server/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { SHORT_RETRIES } from '../packages/installed-project.ts';
import { pack } from '../packages/pack.ts';
import { runNode, runProgram } from '../programs/run-tool.ts';
import { expectEveryBlockRun } from './every-block.ts';
import { MarkedPage } from './marked-page.ts';

const PATIENT_MS = 5 * 60_000;

const page = new MarkedPage('docs/serverless.md');

/** Gives `@vercel/functions` what Vercel gives it, and ends once all that was passed on has. */
const ON_VERCEL = `
  const waiting = [];
  const context = { waitUntil: (work) => waiting.push(work) };
  globalThis[Symbol.for('@vercel/request-context')] = { get: () => context };
  const { [process.env.METHOD]: route } = await import(process.env.ROUTE);
  const { URL: url, METHOD: method, HEADERS: headers, BODY: body } = process.env;
  const response = await route(new Request(url, { method, headers: JSON.parse(headers), body }));
  await Promise.all(waiting);
  console.log('STATUS', response.status);
  process.exit();`;

const ON_LAMBDA = `
  const [file, name] = process.env.HANDLER.split('.');
  const { [name]: handler } = await import('./' + file + '.js');
  const context = { getRemainingTimeInMillis: () => 60_000 };
  const response = await handler(JSON.parse(process.env.EVENT), context);
  console.log('STATUS', response?.statusCode);
  process.exit();`;

describe.skipIf(POSTGRES_IS_MISSING)(
  'docs/serverless.md, as processes that end',
  {
    timeout: PATIENT_MS,
  },
  () => {
    const project = mkdtempSync(join(tmpdir(), 'service-pay-serverless-'));
    let database: TestDatabase;
    let sandbox: Sandbox;

    beforeAll(async () => {
      writeFileSync(join(project, 'package.json'), '{ "private": true, "type": "module" }');
      const ours = [await pack('contract', project), await pack('server', project)];
      const packages = [
        ...ours.map((tarball) => `./${tarball}`),
        '@vercel/functions@3.9.9',
        'pg@8.23.1',
      ];
      const options = ['--no-audit', '--no-fund', '--prefer-offline', ...SHORT_RETRIES];
      const installed = await runProgram('npm', ['install', ...options, ...packages], {
        cwd: project,
        quiet: true,
      });
      expect(installed, installed.output).toMatchObject({ exitCode: 0 });
      page.write(project, '');
      database = await makeDatabaseUrl('postgres');
      sandbox = await startSandbox();
    }, PATIENT_MS);

    afterAll(async () => {
      await sandbox?.close();
      await database?.drop();
      rmSync(project, { recursive: true, force: true });
    });

    async function call(script: string, environment: Record<string, string>): Promise<string> {
      const { exitCode, output } = await runNode(['--input-type=module', '-e', script], {
        cwd: project,
        quiet: true,
        env: {
          SERVICE_PAY_API_URL: sandbox.url,
          SERVICE_PAY_API_TOKEN: 'sec_sandbox_demo',
          SERVICE_PAY_PUBLIC_KEY: 'pub_sandbox_demo',
          DATABASE_URL: database.url,
          CRON_SECRET: 'of-the-test',
          HEADERS: '{}',
          ...environment,
        },
      });
      expect(exitCode, output).toBe(0);
      return output;
    }

    async function placeOrder(): Promise<string> {
      const output = await call(
        `const { openPayments } = await import('./shop.js');
      const payments = await openPayments();
      const data = { sku: 'honey', email: 'ada@shop.example' };
      const order = { amount: '92.50', currency: 'ZMW', owner: 'ann', data };
      console.log('REFERENCE', (await payments.create(order)).reference);
      process.exit();`,
        {},
      );
      return /REFERENCE (\S+)/.exec(output)![1]!;
    }

    /** Pays an order, and returns the webhook as the service sends it. */
    async function payOrder(reference: string) {
      const arrived = Promise.withResolvers<{ headers: object; body: string }>();
      const receiver = createServer(async (req, res) => {
        arrived.resolve({ headers: req.headers, body: await text(req) });
        res.end();
      }).listen(0, '127.0.0.1');
      await new Promise((resolve) => receiver.once('listening', resolve));
      const webhookUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
      await sandbox.control.putMerchant('pub_sandbox_demo', { webhookUrl });
      await sandbox.control.pay({ reference, amount: '92.50' });
      const webhook = await arrived.promise;
      receiver.close();
      return webhook;
    }

    const fulfilments = (reference: string) =>
      readRows(
        database.url,
        'select state, lease_owner from service_pay_fulfilments where reference = ?',
        [reference],
      );
    const DONE = [{ state: 'done', lease_owner: null }];

    const cron = (authorization: string) => {
      const [{ path }] = JSON.parse(page.file('vercel.json')).crons;
      return call(ON_VERCEL, {
        ROUTE: `./app${path}/route.js`,
        METHOD: 'GET',
        URL: `https://shop.example${path}`,
        HEADERS: JSON.stringify({ authorization }),
      });
    };

    test('Vercel: a webhook is confirmed and fulfilled after its response', async () => {
      const reference = await placeOrder();
      const { headers, body } = await payOrder(reference);

      const output = await call(ON_VERCEL, {
        ROUTE: './app/webhooks/service-pay/route.js',
        METHOD: 'POST',
        URL: 'https://shop.example/webhooks/service-pay',
        HEADERS: JSON.stringify({ ...headers, 'content-length': undefined, host: undefined }),
        BODY: body,
      });

      expect(output).toContain('STATUS 200');
      expect(output).toContain('send honey under the key');
      expect(await fulfilments(reference)).toEqual(DONE);
    });

    test('Vercel: the schedule finds a payment whose webhook never came, and only with the secret', async () => {
      const reference = await placeOrder();
      await payOrder(reference);
      await makeDue(database.url, reference);

      expect(await cron('Bearer guessed')).toContain('STATUS 401');
      expect(await fulfilments(reference)).toEqual([]);
      expect(await cron('Bearer of-the-test')).toContain('STATUS 204');

      expect(await fulfilments(reference)).toEqual(DONE);
    });

    test('a body of 100 kB is rejected unsigned, or with a false signature (T147)', async () => {
      const signature = { 'x-servicepay-signature': 'a'.repeat(128) };
      const body = 'x'.repeat(100_000);
      const { Webhook } = parse(page.file('template.yaml')).Resources;

      for (const [headers, status] of [
        [{}, 401],
        [signature, 413],
      ] as const)
        expect(
          await call(ON_VERCEL, {
            ROUTE: './app/webhooks/service-pay/route.js',
            METHOD: 'POST',
            URL: 'https://shop.example/webhooks/service-pay',
            HEADERS: JSON.stringify({ ...headers, 'content-length': `${body.length}` }),
            BODY: body,
          }),
        ).toContain(`STATUS ${status}`);
      for (const headers of [{}, signature])
        expect(
          await call(ON_LAMBDA, {
            HANDLER: Webhook.Properties.Handler,
            EVENT: JSON.stringify({ headers, body }),
          }),
        ).toContain('STATUS 401');
    });

    test('Lambda: a webhook is stored and acknowledged, and EventBridge has the rest done', async () => {
      const reference = await placeOrder();
      const { headers, body } = await payOrder(reference);
      const event = { headers, body: Buffer.from(body).toString('base64'), isBase64Encoded: true };

      const { Webhook, Work } = parse(page.file('template.yaml')).Resources;

      const received = await call(ON_LAMBDA, {
        HANDLER: Webhook.Properties.Handler,
        EVENT: JSON.stringify(event),
      });
      await makeDue(database.url, reference);
      await call(ON_LAMBDA, { HANDLER: Work.Properties.Handler, EVENT: '{}' });

      expect(received).toContain('STATUS 200');
      expect(await fulfilments(reference)).toEqual(DONE);
    });

    expectEveryBlockRun(['docs/serverless.md']);
  },
);

/** Stands for the five seconds after which a payment is due. */
async function makeDue(databaseUrl: string, reference: string): Promise<void> {
  await readRows(databaseUrl, 'update service_pay_payments set check_at = 1 where reference = ?', [
    reference,
  ]);
}
