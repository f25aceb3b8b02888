import { parseConfig } from '@service-pay/bff-example/config';
import { startShop } from '@service-pay/bff-example/server';
import { type Sandbox, startSandbox } from '@service-pay/sandbox';
import {
  DATABASES,
  makeDatabaseUrl,
  readRows,
  type TestDatabase,
  TOKEN,
} from '@service-pay/server/testing';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { PATIENT, PATIENT_PAYMENTS } from '../../lab/patience.ts';
import { shopEnvironment } from '../../lab/shop-launcher.ts';
import * as testGoods from '../goods.ts';
import { postWebhook, TestBrowser } from '../shop.ts';
import { ShopProgram } from '../shop-program.ts';

const WITH_MISHAPS = `data:text/javascript,${encodeURIComponent(`
  process.on('SIGUSR2', () => { throw new Error('a mishap with ${TOKEN}'); });
  process.on('SIGHUP', () => { Promise.reject(new Error('a mishap with ${TOKEN}')); });
`)}`;

let sandbox: Sandbox;
let running: ShopProgram[];

beforeEach(async () => {
  running = [];
  sandbox = await startSandbox();
});

afterEach(async () => {
  await Promise.all(running.map((shop) => shop.end('SIGKILL')));
  await sandbox.close();
});

function start(environment: Record<string, string>, nodeArguments: string[] = []): ShopProgram {
  const shop = new ShopProgram(environment, nodeArguments);
  running.push(shop);
  return shop;
}

const settings = (databaseUrl: string) => shopEnvironment({ databaseUrl, serviceUrl: sandbox.url });

describe.each(DATABASES)('a shop that gets a signal to stop, on %s', (kind) => {
  let database: TestDatabase;

  beforeEach(async () => {
    database = await makeDatabaseUrl(kind);
    return () => database.drop();
  });

  test('a shop that gets a signal to stop responds to what it accepted, ends its streams and leaves nothing half done; after a second signal it still stops once (T93)', async () => {
    const shop = start(settings(database.url));
    const url = await shop.url;
    const browser = new TestBrowser(url);
    const references: string[] = [];
    for (let at = 0; at < 12; at++) references.push(await browser.order());
    for (const reference of references)
      await sandbox.control.putCollection({ reference, amount: '92.50' });
    const other = await browser.order();
    const streams = await Promise.all(
      [1, 2, 3].map(() => browser.open('GET', `/api/payments/${other}/events`)),
    );
    const streamed = ['', '', ''];
    const ended = Promise.all(
      streams.map(async ({ body }, at) => {
        for await (const text of body!.pipeThrough(new TextDecoderStream())) streamed[at] += text;
      }),
    );
    await vi.waitFor(() => {
      for (const text of streamed) expect(text).toContain('event: payment');
    }, PATIENT);
    const verify = browser.verify(other);

    const acknowledged = new Set<string>();
    const rejected: number[] = [];
    const signals: NodeJS.Signals[] = ['SIGTERM', 'SIGINT'];
    let sent = 0;
    const send = async () => {
      for (;;) {
        const reference = references[sent++ % references.length]!;
        const status = await postWebhook({ url }, reference).catch(() => undefined);
        if (status === undefined) return;
        if (status === 200) acknowledged.add(reference);
        else rejected.push(status);
        const signal = acknowledged.size > 5 && signals.shift();
        if (signal) shop.signal(signal);
      }
    };
    await Promise.all([send(), send(), send()]);
    const code = await shop.exit;

    expect(code).toBe(0);
    expect([200, 503]).toContain((await verify).status);
    await ended;
    expect(rejected).toEqual([]);
    expect(acknowledged.size).toBeGreaterThan(5);
    expect(shop.logged('shutting down')).toHaveLength(1);
    expect(shop.logged('already shutting down')).toHaveLength(1);
    const stored = await readRows<{ reference: string }>(
      database.url,
      'select reference from service_pay_webhook_deliveries',
    );
    expect(stored.map(({ reference }) => reference)).toEqual(
      expect.arrayContaining([...acknowledged]),
    );
    const halfDone = await readRows(
      database.url,
      "select reference from service_pay_payments where state = 'paid' and not exists (select 1 from service_pay_fulfilments as handed where handed.reference = service_pay_payments.reference)",
    );
    expect(halfDone).toEqual([]);

    const again = start(settings(database.url));
    await again.url;
    await vi.waitFor(async () => {
      const done = await readRows<{ reference: string }>(
        database.url,
        "select reference from service_pay_fulfilments where state = 'done'",
      );
      expect(done.map(({ reference }) => reference)).toEqual(
        expect.arrayContaining([...acknowledged]),
      );
    }, PATIENT);
  });
});

describe('the program', () => {
  let database: TestDatabase;

  beforeEach(async () => {
    database = await makeDatabaseUrl('sqlite');
    return () => database.drop();
  });

  test('a program about to stop says so at /readyz, while it still serves (T93)', async () => {
    const config = parseConfig({ ...settings(database.url), LOG_LEVEL: 'silent' });
    const { readCatalogue, fulfil } = testGoods;
    const shop = await startShop({ ...config, ...PATIENT_PAYMENTS }, { readCatalogue, fulfil });
    const browser = new TestBrowser(shop.url);
    const before = await browser.get('/readyz');

    shop.drain();
    const [after, alive, page] = [
      await browser.get('/readyz'),
      await browser.get('/healthz'),
      await browser.get('/'),
    ];
    await shop.close();

    expect(before.json.data).toEqual({
      database: 'reachable',
      service: 'unknown',
      circuit: 'closed',
    });
    expect(after).toMatchObject({ status: 503, json: { errorCode: '10' } });
    expect([alive.status, page.status]).toEqual([200, 200]);
    for (const { headers } of [after, alive, page]) expect(headers.get('connection')).toBe('close');
  });

  test.each(['SIGUSR2', 'SIGHUP'] as const)(
    'a program ends with one line and exit code 1 after an unexpected error (%s)',
    async (signal) => {
      const shop = start(settings(database.url), ['--import', WITH_MISHAPS]);
      await shop.url;

      expect(await shop.end(signal)).toBe(1);
      const fatal = shop.lines.filter(({ level }) => level === 60);
      expect(fatal).toHaveLength(1);
      expect(fatal[0]).toMatchObject({ err: { message: 'a mishap with [secret]' } });
      expect(await shop.errors).toBe('');
    },
  );

  test('a program without what it needs reports every problem once, no value and no stack, and exits 1 (T78)', async () => {
    const shop = start({
      ...settings(database.url),
      SERVICE_PAY_API_TOKEN: 'pub_canary_key',
      SESSION_SECRET: 'canary',
      PORT: 'canary',
    });

    expect(await shop.exit).toBe(1);
    const errors = await shop.errors;
    expect(errors.match(/^- /gm)).toHaveLength(3);
    expect(errors).not.toMatch(/canary|at .*\.ts/);
    expect(shop.lines).toEqual([]);
  });
});
