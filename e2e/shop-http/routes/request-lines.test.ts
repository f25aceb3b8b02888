import { rename } from 'node:fs/promises';
import { startShop } from '@service-pay/bff-example/server';
import { buildLog } from '@service-pay/server/log';
import { ManualClock, signedWebhook, startUpstream } from '@service-pay/server/testing';
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
import { PATIENT, PATIENT_PAYMENTS } from '../../lab/patience.ts';
import { startTestShop, TestBrowser, type TestShop } from '../shop.ts';

const INFO = 30;
const WARNING = 40;
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

async function times(count: number, send: (at: number) => Promise<unknown>): Promise<void> {
  await Promise.all(Array.from({ length: count }, (_, at) => send(at)));
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
    .filter(
      (line) => line.startsWith('service_pay_requests_total') && line.includes(`route="${route}"`),
    );
  return counts.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}

describe('rejected requests', () => {
  test('rejected requests are logged once a second for each code and route, whatever their paths (T91)', async () => {
    const browser = shop.browser();

    await times(300, (at) => browser.get(`/nothing-${at}`));
    await times(100, (at) => browser.verify(`unknown-${at}`));
    await isCounted(300, 100);
    const codes = () => logged('request rejected').map(({ code }) => code);
    const first = codes();
    await clock.advance(1_000);
    await browser.get('/nothing');
    await browser.verify('unknown');
    await isCounted(301, 101);

    expect(first).toEqual(['route_not_found', 'order_not_found']);
    expect(codes()).toEqual([...first, ...first]);
  });

  test('requests rejected as too many are logged no more often (T75, T91)', async () => {
    vi.useFakeTimers({ toFake: ['Date'] }); // so that all of them come in one window of the limit
    onTestFinished(() => void vi.useRealTimers());
    const browser = shop.browser();

    await times(400, () => browser.verify('unknown'));

    await isCounted(0, 400);
    const codes = logged('request rejected').map(({ code }) => code);
    expect(codes.sort()).toEqual(['order_not_found', 'too_many_requests']);
  });

  test('rejected requests are all logged at level debug', async () => {
    const other = await startTestShop(upstream.url, { clock }, { LOG_LEVEL: 'debug' });

    await times(50, (at) => other.browser().get(`/nothing-${at}`));

    await vi.waitFor(
      () =>
        expect([
          ...logged('request rejected', other.lines),
          ...logged('request completed', other.lines),
        ]).toHaveLength(50),
      PATIENT,
    );
    await other.close();
  });
});

test('a database that is away is a warning without a stack, and an error once it was away for a minute (T92)', async () => {
  const file = shop.config.databaseUrl.slice('file:'.length);
  await shop.browser().get('/');
  await rename(file, `${file}.moved`);
  const send = (count: number) =>
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

  await send(50);
  const first = logged('request failed');
  const errors = () =>
    shop.lines
      .map((line) => JSON.parse(line))
      .flatMap(({ level, msg }) => (level === ERROR ? msg : []));
  const errorsAtFirst = errors();
  await clock.advance(60_000);
  await send(1);

  expect(first).toMatchObject([
    { level: WARNING, code: 'unavailable', cause: expect.stringContaining('The file was removed') },
  ]);
  expect(logged('request failed')).toHaveLength(2);
  expect(shop.lines.join()).not.toContain('"stack"');
  expect(errorsAtFirst).toEqual([]);
  expect(errors()).toContain('webhook not stored');
});

test('a shop that is about to end says so to a balancer, and calls nobody (T93)', async () => {
  const lines: string[] = [];
  const { config } = shop;
  const log = buildLog(config, { write: (line) => void lines.push(line) });
  const stopping = await startShop({ ...config, ...PATIENT_PAYMENTS, port: 0 }, { clock, log });
  stopping.drain();

  await times(50, async () =>
    expect((await new TestBrowser(stopping.url).get('/readyz')).status).toBe(503),
  );
  await stopping.close();

  const rejected = logged('request rejected', lines);
  expect(rejected[0]).toMatchObject({
    level: INFO,
    path: '/readyz',
    status: 503,
    code: 'stopping',
  });
  expect(rejected.length).toBeLessThanOrEqual(10);
  expect(lines.filter((line) => JSON.parse(line).level > INFO)).toEqual([]);
});
