import { afterEach, describe, expect, test, vi } from 'vitest';

import { openDatabase } from './database.ts';
import type { Fulfil } from './fulfil.ts';
import { FulfilmentStore } from './fulfilment-store.ts';
import { collectionAnswer, ManualClock, PATIENT, startTestShop, startUpstream, type TestShop } from './test-shop.ts';

let closers: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closers.reverse()) await close();
  closers = [];
});

async function shopThat(fulfil: Fulfil): Promise<{ shop: TestShop; clock: ManualClock }> {
  const upstream = await startUpstream((req, res) => res.end(collectionAnswer(req.url ?? '')));
  const clock = new ManualClock();
  const shop = await startTestShop(upstream.url, { clock, fulfil });
  closers.push(upstream.close, shop.close);
  return { shop, clock };
}

async function payOrder(shop: TestShop): Promise<string> {
  const browser = shop.browser();
  const reference = await browser.order();
  expect((await browser.verify(reference)).json.data.status).toBe('successful');
  return reference;
}

const stateOf = async (shop: TestShop, reference: string) =>
  (await shop.rows<{ state: string; attempts: number }>('select state, attempts from fulfilments where reference = ?', reference))[0];

describe('a paid order', () => {
  test('is handed over with its lines, its customer and its reference as the key', async () => {
    const handed: unknown[] = [];
    const { shop } = await shopThat(async (order) => void handed.push(order));

    const reference = await payOrder(shop);

    await vi.waitFor(async () => expect(await stateOf(shop, reference)).toEqual({ state: 'done', attempts: 1 }), PATIENT);
    expect(handed).toMatchObject([
      {
        reference,
        amount: '92.50',
        currency: 'ZMW',
        customer: { email: 'mary@example.com' },
        lines: [{ sku: 'honey-500', quantity: 1, price: '92.50' }],
      },
    ]);
  });

  test('that waits behind many others is handed over as soon as one of them ends', async () => {
    const allPaid = Promise.withResolvers<void>();
    const { shop } = await shopThat(() => allPaid.promise);
    const references = await Promise.all(Array.from({ length: 40 }, () => payOrder(shop)));

    allPaid.resolve();

    const done = async () => (await shop.rows("select 1 from fulfilments where state = 'done'")).length;
    await vi.waitFor(async () => expect(await done()).toBe(40), PATIENT);
  });

  test('is tried again at growing intervals with the same key, then parked with an alert, until a person redrives it (T112)', async () => {
    const keys: string[] = [];
    const times: number[] = [];
    let works = false;
    const { shop, clock } = await shopThat(async ({ reference }) => {
      keys.push(reference);
      times.push(clock.now());
      if (!works) throw new Error('The warehouse is closed.');
    });
    const reference = await payOrder(shop);

    await vi.waitFor(async () => {
      await clock.jump(1_000);
      expect(await stateOf(shop, reference)).toEqual({ state: 'parked', attempts: 10 });
    }, PATIENT);
    const pauses = times.slice(1).map((time, at) => time - times[at]!);

    expect(new Set(keys)).toEqual(new Set([reference]));
    expect(keys).toHaveLength(10);
    for (const [at, pause] of pauses.slice(1).entries()) expect(pause).toBeGreaterThan(pauses[at]!);
    expect(shop.lines.filter((line) => line.includes('"level":50') && line.includes(reference))).toHaveLength(1);

    works = true;
    const database = await openDatabase(shop.config.databaseUrl);
    expect(await new FulfilmentStore(database).redrive(reference, clock.now())).toBe(true);
    await database.close();
    await vi.waitFor(async () => {
      await clock.advance(1_000);
      expect(await stateOf(shop, reference)).toEqual({ state: 'done', attempts: 1 });
    }, PATIENT);
  });

  test('whose call hangs holds up no other, and is called again after a minute (T112)', async () => {
    const calls: string[] = [];
    const { shop, clock } = await shopThat(async ({ reference }, { signal }) => {
      calls.push(reference);
      if (calls.filter((call) => call === calls[0]).length === 1 && reference === calls[0]) {
        await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
      }
    });
    const hanging = await payOrder(shop);
    await vi.waitFor(() => expect(calls).toEqual([hanging]), PATIENT);

    const other = await payOrder(shop);
    await vi.waitFor(async () => expect((await stateOf(shop, other))?.state).toBe('done'), PATIENT);
    await clock.advance(30_000);
    expect(calls).toEqual([hanging, other]);

    await vi.waitFor(async () => {
      await clock.advance(10_000);
      expect(await stateOf(shop, hanging)).toEqual({ state: 'done', attempts: 2 });
    }, PATIENT);
  });
});

test('a lease that ran out is taken over, and the late write of its old holder refused (T111)', async () => {
  const { shop, clock } = await shopThat(() => new Promise(() => {}));
  const reference = await payOrder(shop);
  await vi.waitFor(async () => expect((await stateOf(shop, reference))?.attempts).toBe(1), PATIENT);
  const database = await openDatabase(shop.config.databaseUrl);
  const store = new FulfilmentStore(database);

  expect(await store.claim('other', clock.now(), 3_000, 9)).toEqual([]);
  const [first] = await store.claim('other', clock.now() + 3_001, 3_000, 9);
  const [second] = await store.claim('third', clock.now() + 10_000, 3_000, 9);

  expect(first).toMatchObject({ reference, leaseVersion: 2 });
  expect(second).toMatchObject({ reference, leaseVersion: 3 });
  expect(await store.finish(first!, 'other')).toBe(false);
  expect(await store.finish(second!, 'third')).toBe(true);
  await database.close();
  await Promise.all([clock.advance(70_000), new Promise((resolve) => setImmediate(resolve))]);
});
