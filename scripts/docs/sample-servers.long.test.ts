import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { startSandbox } from '@service-pay/sandbox';
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { findBrokenRules } from '../programs/check-shop.ts';
import { findFreePort } from '../programs/server-program.ts';
import { MarkedPage, ShellProgram } from './marked-page.ts';
import { canRun, SAMPLE_SERVERS } from './sample-servers.ts';
import { NOT_KNOWN, paid, type Respond, startStandIn } from './stand-in-service.ts';
import { expectStrangersRejected } from './strangers.ts';

const PATIENT = { timeout: 60_000, interval: 100 };

const UNTRIED = 'no such collection, before the first attempt';

describe.each(['python', 'php', 'go'] as const)('the server of the quick start in %s', (name) => {
  const { files, probe } = SAMPLE_SERVERS[name];
  const run = test.skipIf(!canRun(probe));
  const folder = mkdtempSync(join(tmpdir(), 'service-pay-sample-'));
  let service: Awaited<ReturnType<typeof startStandIn>>;
  let shop: ShellProgram | undefined;

  beforeAll(async () => {
    service = await startStandIn();
  });

  afterEach(() => shop?.stop());

  afterAll(() => {
    service.close();
    rmSync(folder, { recursive: true, force: true });
  });

  run(
    `the server of the quick start in ${name} says paid or failed only if the whole response does, about this order (D50)`,
    async () => {
      const { reference, verify } = await openShop();

      for (const [what, next] of Object.entries(NOT_KNOWN)) {
        service.respond = next;
        const { status, data } = await verify();
        expect(`${status} ${data?.status}`, what).toMatch(/^(?:200 pending|503 undefined)$/);
      }
      expect(shop?.output).not.toContain('ship honey');
      service.respond = paid({ status: 'failed' });
      expect(await verify()).toMatchObject({ status: 200, data: { status: 'failed' } });
      service.respond = paid({ amount: '92.5' });
      const order = { reference, amount: '92.50', currency: 'ZMW' };
      const known = { status: 200, data: { ...order, status: 'successful' } };
      expect(await verify(), shop?.output).toMatchObject(known);
      service.respond = paid({ status: 'failed' });
      expect(await verify()).toMatchObject(known);
      await vi.waitFor(() => expect(findShipped()).toEqual([reference]), PATIENT);
    },
  );

  run(
    `the server of the quick start in ${name} logs a rejected token, and money that is not what was ordered (D51, D53)`,
    async () => {
      const { reference, verify } = await openShop();

      service.respond = NOT_KNOWN['that it rejects the token']!;
      await verify();
      await vi.waitFor(() =>
        expect(shop?.output).toMatch(new RegExp(`not known yet: ${reference}.* 401`)),
      );
      service.respond = paid({ amount: '1.00' });
      await verify();
      await vi.waitFor(() =>
        expect(shop?.output).toContain(`paid, but not as ordered: ${reference}`),
      );
    },
  );

  run(
    `the server of the quick start in ${name} ships an order whose first payment is paid late, once`,
    async () => {
      const { reference, verify, retry } = await openShop();
      service.respond = failsFor(reference);
      const { data: second } = await retry();

      service.respond = (verified) =>
        paid({ status: verified === reference ? 'successful' : 'failed' })(verified);

      expect((await verify(second.reference)).data).toMatchObject({
        reference,
        status: 'successful',
      });
      service.respond = paid();
      await verify(second.reference);
      await vi.waitFor(() => expect(findShipped()).toEqual([reference]), PATIENT);
    },
  );

  run(
    `the server of the quick start in ${name} keeps the browser’s cookie for a year, and from scripts and other sites`,
    async () => {
      const { placed } = await openShop();

      for (const part of [
        /^owner=[\w-]{32,};/,
        / path=\/;/i,
        / Max-Age=31536000;/,
        / HttpOnly; SameSite=Lax$/i,
      ])
        expect(placed).toMatch(part);
    },
  );

  run(
    `the server of the quick start in ${name} keeps every rule that check-shop can try`,
    { timeout: PATIENT.timeout * 4 },
    async () => {
      const sandbox = await startSandbox();
      onTestFinished(() => sandbox.close());
      await openShop(new URL(sandbox.url).port);

      const broken = await findBrokenRules(shopUrl, sandbox.url, {
        output: () => shop?.output ?? '',
      });

      expect(broken, shop?.output).toEqual(
        [
          ...(name === 'php' ? ['The shop itself reads 20 MB of a body'] : []), // its server for development
          'Pass --previous-token',
          'The shop has not verified it', // as the page says
        ].map((reason) => expect.stringContaining(reason)),
      );
    },
  );

  run(
    `the server of the quick start in ${name} rejects what strangers send, and goes on (T147)`,
    { timeout: PATIENT.timeout * 4 },
    async () => {
      await openShop();
      const { pid } = shop as ShellProgram;

      await expectStrangersRejected(shopUrl, {
        pid,
        output: () => shop?.output ?? '',
        closesHalves: name !== 'php', // its server for development waits
      });
    },
  );

  let shopUrl = '';

  async function openShop(servicePort = service.port) {
    const shopPort = `${await findFreePort()}`;
    const page = new MarkedPage('docs/quick-start/server.md', {
      '3000': shopPort,
      '4010': servicePort,
    });
    for (const file of files) page.write(folder, file);
    page.write(folder, 'public/index.html');
    const started = new ShellProgram(page.command(name), folder);
    shop = started;
    shopUrl = `http://localhost:${shopPort}`;
    const { data, placed, cookie } = await vi.waitFor(() => {
      if (started.hasEnded) throw new Error(started.output);
      return post('/api/orders', '', '{"sku":"honey"}', 'key-1');
    }, PATIENT);
    const { reference } = data;
    const about =
      (action: string) =>
      (payment = reference) =>
        post(`/api/payments/${payment}/${action}`, cookie).then(({ status, data }) => ({
          status,
          data,
        }));
    return {
      reference,
      placed,
      cookie,
      order: data,
      verify: about('verify'),
      retry: about('retry'),
    };
  }

  function post(path: string, cookie: string, body = '', key = '') {
    const headers = { ...(cookie && { cookie }), ...(key && { 'idempotency-key': key }) };
    return call(path, { method: 'POST', headers, body });
  }

  async function call(path: string, request: RequestInit = {}) {
    const response = await fetch(`${shopUrl}${path}`, request);
    expect(response.headers.get('cache-control'), path).toBe('no-store');
    const { data } = (await response.json()) as { data: any };
    const placed = response.headers.get('set-cookie') ?? '';
    return { status: response.status, data, placed, cookie: placed.split(';')[0] ?? '' };
  }

  /** The references that the shop has said to ship. */
  function findShipped(): string[] {
    return [...(shop?.output ?? '').matchAll(/ship honey (\S+)/g)].map(([, one]) => one as string);
  }
});

describe('poll_payments.py of the quick start', () => {
  const run = test.skipIf(!canRun(SAMPLE_SERVERS.python.probe));

  run(
    'poll_payments.py ships what was paid without a webhook, once, and decides nothing else',
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'service-pay-poll-'));
      const service = await startStandIn();
      const page = new MarkedPage('docs/quick-start/server.md', { '4010': service.port });
      for (const file of ['service_pay.py', 'poll_payments.py']) page.write(folder, file);
      const poll = () => new ShellProgram(page.command('poll'), folder).result();
      await poll(); // makes the tables
      const shop = new DatabaseSync(join(folder, 'shop.db'));
      const seconds = Date.now() / 1_000;
      for (const id of ['late', 'paid', 'failed', 'away', 'short', 'old']) {
        shop.prepare('insert into orders (id, sku) values (?, ?)').run(id, 'honey');
        shop
          .prepare(
            'insert into payments (reference, order_id, amount, currency, opened_at) values (?, ?, ?, ?, ?)',
          )
          .run(
            `ref-${id}`,
            id,
            '92.50',
            'ZMW',
            id === 'old' ? seconds - 31 * 86_400 : seconds - 60,
          );
      }
      shop.exec("update payments set status = 'failed' where order_id = 'late'");
      const responses: Record<string, Respond> = {
        'ref-late': paid(),
        'ref-paid': paid(),
        'ref-failed': paid({ status: 'failed' }),
        'ref-away': NOT_KNOWN['a success with status 500']!,
        'ref-short': paid({ amount: '1.00' }),
      };
      service.respond = (verified) => responses[verified]!(verified);

      const [first, second] = [await poll(), await poll()];

      const rows = shop.prepare('select order_id, status, is_in_review from payments').all();
      expect(
        rows.map(({ order_id, status, is_in_review }) => [order_id, status, is_in_review]),
      ).toEqual([
        ['late', 'successful', 0],
        ['paid', 'successful', 0],
        ['failed', 'failed', 0],
        ['away', 'pending', 0],
        ['short', 'pending', 1],
        ['old', 'pending', 0],
      ]);
      const shipped = [...(first.output + second.output).matchAll(/^ship honey (\S+)$/gm)];
      expect(shipped.map(([, id]) => id).sort(), first.output).toEqual(['late', 'paid']);
      shop.close();
      service.close();
      rmSync(folder, { recursive: true, force: true });
    },
  );
});

/** Knows one payment, which failed. */
function failsFor(reference: string): Respond {
  return (verified) =>
    verified === reference ? paid({ status: 'failed' })(verified) : NOT_KNOWN[UNTRIED]!(verified);
}
