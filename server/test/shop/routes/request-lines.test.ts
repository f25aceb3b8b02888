import { once } from 'node:events';
import { rename } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startShop } from '@service-pay/bff-example/server';
import express from 'express';
import {
  afterAll,
  beforeAll,
  beforeEach,
  describe,
  expect,
  onTestFinished,
  test,
  vi,
} from 'vitest';
import { answerError } from '../../../src/express/errors.ts';
import { buildRequestLines } from '../../../src/express/request-lines.ts';
import { buildLog } from '../../../src/observe/log.ts';
import { Metrics } from '../../../src/observe/metrics.ts';
import { pause } from '../../../src/support/clock.ts';
import { ManualClock, PATIENT } from '../../manual-clock.ts';
import { signedWebhook, startUpstream } from '../../upstream.ts';
import { startTestShop, TestBrowser, type TestShop } from '../shop.ts';

const INFO = 30;
const ERROR = 50;

let clock: ManualClock;
let shop: TestShop;
let upstream: Awaited<ReturnType<typeof startUpstream>>;

beforeAll(async () => {
  upstream = await startUpstream((_req, res) =>
    res.writeHead(404).end('{"status":false,"message":"","errorCode":"11"}'),
  );
});

afterAll(() => upstream.close());

beforeEach(async () => {
  clock = new ManualClock();
  shop = await startTestShop(upstream.url, { clock }, { LOG_LEVEL: 'info' });
  return () => shop.close();
});

function logged(message: string, lines = shop.lines): Record<string, any>[] {
  return lines
    .map((line) => JSON.parse(line) as Record<string, any>)
    .filter(({ msg }) => msg === message);
}

async function times(count: number, ask: (at: number) => Promise<unknown>): Promise<void> {
  await Promise.all(Array.from({ length: count }, (_, at) => ask(at)));
}

function isCounted(unknownPaths: number, verifies: number): Promise<void> {
  return vi.waitFor(async () => {
    const counts = [
      await countRequests('none'),
      await countRequests('/api/payments/:reference/verify'),
    ];
    expect(counts).toEqual([unknownPaths, verifies]);
  }, PATIENT);
}

async function countRequests(route: string): Promise<number> {
  const { text } = await shop.browser().get('/metrics');
  const counts = text
    .split('\n')
    .filter((line) => line.startsWith('shop_requests_total') && line.includes(`route="${route}"`));
  return counts.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}

describe('requests that are refused', () => {
  test('are logged once a second for each code and route, whatever their paths (T91)', async () => {
    const browser = shop.browser();

    await times(300, (at) => browser.get(`/nothing-${at}`));
    await times(100, (at) => browser.verify(`unknown-${at}`));
    await isCounted(300, 100);
    const codes = () => logged('request refused').map(({ code }) => code);
    const first = codes();
    await clock.advance(1_000);
    await browser.get('/nothing');
    await browser.verify('unknown');
    await isCounted(301, 101);

    expect(first).toEqual(['route_not_found', 'order_not_found']);
    expect(codes()).toEqual([...first, ...first]);
  });

  test('for asking too often are logged no oftener (T75, T91)', async () => {
    const browser = shop.browser();

    await times(1_000, () => browser.verify('unknown'));

    await isCounted(0, 1_000);
    const codes = logged('request refused').map(({ code }) => code);
    expect(codes.sort()).toEqual(['order_not_found', 'too_many_requests']);
  });

  test('are all told at level debug', async () => {
    const other = await startTestShop(upstream.url, { clock }, { LOG_LEVEL: 'debug' });

    await times(50, (at) => other.browser().get(`/nothing-${at}`));

    await vi.waitFor(
      () =>
        expect([
          ...logged('request refused', other.lines),
          ...logged('request answered', other.lines),
        ]).toHaveLength(50),
      PATIENT,
    );
    await other.close();
  });
});

describe('requests to a route', () => {
  let lines: string[];
  let browser: TestBrowser;
  let waiting: number;

  beforeEach(() => start('info'));

  async function start(logLevel: 'info' | 'debug'): Promise<void> {
    lines = [];
    waiting = 0;
    const log = buildLog({ ...shop.config, logLevel }, { write: (line) => void lines.push(line) });
    const app = express().use(buildRequestLines({ metrics: new Metrics(), clock, log }));
    app.get('/slow', async (_req, res) => {
      waiting += 1;
      await pause(clock, 1_000);
      res.end();
    });
    app.get('/stream', async (_req, res) => {
      waiting += 1;
      await pause(clock, 1_000);
      res.type('text/event-stream').end();
    });
    app.get('/broken', () => {
      throw new Error('a mishap');
    });
    app.use(answerError);
    const server = createServer(app).listen(0, '127.0.0.1');
    await once(server, 'listening');
    browser = new TestBrowser(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    onTestFinished(() => void server.close());
  }

  test('that is slow are logged once a second (T91)', async () => {
    const answered = times(100, () => browser.get('/slow'));
    await vi.waitFor(() => expect(waiting).toBe(100), PATIENT);
    await clock.advance(1_000);
    await answered;

    await vi.waitFor(
      () => expect(logged('request answered slowly', lines)).toHaveLength(1),
      PATIENT,
    );
    expect(lines).toHaveLength(1);
  });

  test('that are event streams are not slow', async () => {
    const answered = browser.get('/stream');
    await vi.waitFor(() => expect(waiting).toBe(1), PATIENT);
    await clock.advance(1_000);
    await answered;
    await browser.get('/broken');

    await vi.waitFor(() => expect(logged('request failed', lines)).toHaveLength(1), PATIENT);
    expect(lines).toHaveLength(1);
  });

  test('that breaks are errors, one a second (T77)', async () => {
    await times(100, () => browser.get('/broken'));
    await clock.advance(1_000);
    await browser.get('/broken');

    const failed = logged('request failed', lines);
    expect(failed).toHaveLength(2);
    expect(failed.at(-1)).toMatchObject({
      level: ERROR,
      code: 'internal',
      requestId: expect.any(String),
    });
  });

  test('that breaks are all told at level debug', async () => {
    await start('debug');

    await times(50, () => browser.get('/broken'));

    expect(lines).toHaveLength(50);
    expect(logged('request answered', lines)[0]).toMatchObject({ err: { message: 'a mishap' } });
  });
});

test('a database that is away is an error once a minute (T92)', async () => {
  const file = shop.config.databaseUrl.slice('file:'.length);
  await shop.browser().get('/');
  await rename(file, `${file}.moved`);
  const ask = (count: number) =>
    times(count, async (at) => {
      const { body, headers } = signedWebhook('collection.successful', {
        reference: `unknown-${at}`,
      });
      const [ready, hook] = await Promise.all([
        shop.browser().get('/readyz'),
        shop.browser().post('/webhooks/service-pay', body, headers),
      ]);
      expect([ready.status, hook.status]).toEqual([503, 503]);
    });

  await ask(50);
  const first = logged('request failed');
  await clock.advance(60_000);
  await ask(1);

  expect(first).toMatchObject([
    { level: ERROR, code: 'unavailable', err: { stack: expect.any(String) } },
  ]);
  expect(logged('request failed')).toHaveLength(2);
});

test('a shop that is about to end says so to a balancer, and calls nobody (T93)', async () => {
  const lines: string[] = [];
  const { config } = shop;
  const log = buildLog(config, { write: (line) => void lines.push(line) });
  const stopping = await startShop({ ...config, port: 0 }, { clock, log });
  stopping.drain();

  await times(50, async () =>
    expect((await new TestBrowser(stopping.url).get('/readyz')).status).toBe(503),
  );
  await stopping.close();

  const refused = logged('request refused', lines);
  expect(refused[0]).toMatchObject({ level: INFO, path: '/readyz', status: 503, code: 'stopping' });
  expect(refused.length).toBeLessThanOrEqual(10);
  expect(lines.filter((line) => JSON.parse(line).level > INFO)).toEqual([]);
});
