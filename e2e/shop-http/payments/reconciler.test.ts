import {
  collectionResponse,
  ManualClock,
  makeDatabaseUrl,
  startUpstream,
} from '@service-pay/server/testing';
import { afterEach, expect, test, vi } from 'vitest';
import { PATIENT } from '../../lab/patience.ts';
import { postWebhook, startTestShop } from '../shop.ts';

const HOUR = 60 * 60_000;

let closers: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closers.reverse()) await close();
  closers = [];
});

async function pass(clock: ManualClock, ms: number, stepMs = 1_000): Promise<void> {
  for (let passed = 0; passed < ms; passed += stepMs) {
    await clock.jump(stepMs);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

test('a webhook about a payment given up long ago is followed until the service responds (F5)', async () => {
  let status: string | undefined = 'pending';
  const upstream = await startUpstream((req, res) => {
    if (status === undefined) res.writeHead(503).end();
    else res.end(collectionResponse(req.url ?? '', { status }));
  });
  const clock = new ManualClock();
  const shop = await startTestShop(upstream.url, { clock });
  closers.push(upstream.close, shop.close);
  const reference = await shop.browser().order();
  await vi.waitFor(async () => {
    await pass(clock, 2_000);
    expect(upstream.calls).not.toEqual([]);
  }, PATIENT);
  await clock.jump(31 * 24 * HOUR);
  await vi.waitFor(async () => {
    await pass(clock, 2_000);
    expect(await shop.rows('select check_at from service_pay_payments')).toEqual([
      { check_at: Number.MAX_SAFE_INTEGER },
    ]);
  }, PATIENT);
  expect(shop.lines.filter((line) => line.includes('no longer polled'))).toEqual([
    expect.stringContaining(reference),
  ]);

  status = undefined;
  expect(await postWebhook(shop, reference)).toBe(200);
  await vi.waitFor(async () => {
    await pass(clock, 2_000);
    const [row] = await shop.rows<{ check_at: number }>(
      'select check_at from service_pay_payments',
    );
    expect(row!.check_at).toBeGreaterThan(clock.now() + 20_000);
    expect(shop.lines.filter((line) => line.includes('verify failed')).length).toBeGreaterThan(1);
  }, PATIENT);
  status = 'successful';

  await vi.waitFor(async () => {
    await pass(clock, 10_000);
    expect(await shop.stateOf(reference)).toBe('paid');
  }, PATIENT);
});

test('a payment whose responses from the service cannot be read is verified seldom after 30 days, and never given up', async () => {
  let isReadable = false;
  const upstream = await startUpstream((req, res) => {
    if (isReadable) res.end(collectionResponse(req.url ?? ''));
    else res.writeHead(403).end('Forbidden');
  });
  const clock = new ManualClock();
  const shop = await startTestShop(upstream.url, { clock });
  closers.push(upstream.close, shop.close);
  const reference = await shop.browser().order();

  await clock.jump(31 * 24 * HOUR);
  await vi.waitFor(async () => {
    await pass(clock, 10_000);
    const [row] = await shop.rows<{ check_at: number }>(
      'select check_at from service_pay_payments',
    );
    expect(row!.check_at).toBeGreaterThan(clock.now() + HOUR / 2);
  }, PATIENT);
  expect(await shop.stateOf(reference)).toBe('awaiting-payment');

  isReadable = true;
  await vi.waitFor(async () => {
    await pass(clock, HOUR / 4, HOUR / 4);
    expect(await shop.stateOf(reference)).toBe('paid');
  }, PATIENT);
});

test('a database that is away is logged once a minute, however often it is queried (T92)', async () => {
  const upstream = await startUpstream((_req, res) => res.writeHead(404).end());
  const home = await makeDatabaseUrl('sqlite');
  const clock = new ManualClock();
  const shop = await startTestShop(upstream.url, { clock }, { DATABASE_URL: home.url });
  closers.push(upstream.close, shop.close);
  const MESSAGES = ['due payments not read, will retry', 'due fulfilments not read'];
  const count = () =>
    MESSAGES.map((message) => shop.lines.filter((line) => line.includes(message)).length);

  await home.drop();
  const from = clock.now();
  await vi.waitFor(async () => {
    await pass(clock, 10_000);
    expect(Math.min(...count())).toBeGreaterThan(1);
  }, PATIENT);

  expect(Math.max(...count())).toBeLessThanOrEqual((clock.now() - from) / 60_000 + 1);
});
