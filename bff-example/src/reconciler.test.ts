import { afterEach, expect, test, vi } from 'vitest';

import { nextPauseMs } from './reconciler.ts';
import { collectionAnswer, ManualClock, PATIENT, startTestShop, startUpstream, type TestShop } from './test-shop.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

let closers: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closers.reverse()) await close();
  closers = [];
});

test('pauses grow as drawn: 5, 10, 20, 40, 60 s until 45 minutes, then twice the last up to 6 h', () => {
  const pauses: number[] = [];
  let age = 0;
  for (let pause = 5_000; age < 3 * 24 * HOUR; pause = nextPauseMs(age, pause)) {
    pauses.push(pause / 1_000);
    age += pause;
  }

  expect(pauses.slice(0, 6)).toEqual([5, 10, 20, 40, 60, 60]);
  const minutes = pauses.filter((pause) => pause === 60).length;
  expect(minutes).toBeGreaterThanOrEqual(43);
  expect(pauses.slice(4 + minutes, 4 + minutes + 9)).toEqual([120, 240, 480, 960, 1920, 3840, 7680, 15_360, 21_600]);
});

async function shopWith(answer: () => string | undefined): Promise<{ shop: TestShop; clock: ManualClock; calls: string[] }> {
  const upstream = await startUpstream((req, res) => {
    const body = answer();
    if (body === undefined) res.writeHead(404).end('{"status":false,"message":"","errorCode":"11"}');
    else res.end(collectionAnswer(req.url ?? '', JSON.parse(body) as object as Record<string, unknown>));
  });
  const clock = new ManualClock();
  const shop = await startTestShop(upstream.url, { clock });
  closers.push(upstream.close, shop.close);
  return { shop, clock, calls: upstream.calls };
}

/** Moves time on second by second, giving each call to the service its turn. */
async function pass(clock: ManualClock, ms: number, stepMs = 1_000): Promise<void> {
  for (let passed = 0; passed < ms; passed += stepMs) {
    await clock.jump(stepMs);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

test('a payment nobody told of is found and fulfilled (F4)', async () => {
  let paid = false;
  const { shop, clock } = await shopWith(() => (paid ? '{}' : undefined));
  const reference = await shop.browser().order();
  await pass(clock, 30_000);
  expect(await shop.stateOf(reference)).toBe('awaiting-payment');

  paid = true;
  await vi.waitFor(async () => {
    await pass(clock, 10_000);
    expect(await shop.stateOf(reference)).toBe('paid');
  }, PATIENT);

  await vi.waitFor(async () => {
    await pass(clock, 1_000);
    expect(await shop.rows('select state from fulfilments')).toEqual([{ state: 'done' }]);
  }, PATIENT);
});

test('a payment without an attempt for a day is expired, and money that arrives later is money all the same', async () => {
  let paid = false;
  const { shop, clock } = await shopWith(() => (paid ? '{}' : undefined));
  const reference = await shop.browser().order();

  await clock.jump(25 * HOUR);
  await vi.waitFor(async () => {
    await pass(clock, 7 * HOUR, HOUR);
    expect(await shop.stateOf(reference)).toBe('expired');
  }, PATIENT);
  paid = true;
  await vi.waitFor(async () => {
    await pass(clock, 7 * HOUR, HOUR);
    expect(await shop.stateOf(reference)).toBe('paid');
  }, PATIENT);
});

test('a shop that was away asks about what it missed within a minute, and nobody asks after 30 days (F5)', async () => {
  const { shop, clock, calls } = await shopWith(() => '{"status":"pending"}');
  await shop.browser().order();
  const before = calls.length;
  await clock.jump(29 * 24 * HOUR);
  await vi.waitFor(async () => {
    await pass(clock, 2_000);
    expect(calls.length).toBeGreaterThan(before);
  }, PATIENT);

  await clock.jump(2 * 24 * HOUR);
  await new Promise((resolve) => setImmediate(resolve));
  const asked = calls.length;
  await pass(clock, 12 * HOUR, HOUR);

  expect(calls.length).toBeLessThanOrEqual(asked + 1);
});
