import { afterEach, describe, expect, test, vi } from 'vitest';
import { OWN_ENVIRONMENT, payOrder as payIn } from '../../test/parts.ts';
import { PATIENT, PATIENT_DATABASE } from '../../test/patience.ts';
import { startTestShop, type TestShop } from '../../test/shop.ts';
import { addEnvironment } from '../database/environment.ts';
import { openDatabase } from '../database/open.ts';
import { PaymentStore } from '../payments/store.ts';
import type { Failpoint } from '../support/failpoint.ts';
import { makeDatabaseUrl, readRows } from '../testing/databases.ts';
import { ManualClock } from '../testing/manual-clock.ts';
import { collectionResponse, startUpstream } from '../testing/upstream.ts';
import type { Fulfil } from './fulfil.ts';
import { FulfilmentStore } from './store.ts';

let closers: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closers.reverse()) await close();
  closers = [];
});

async function shopThat(
  fulfil: Fulfil,
  failpoint: Failpoint = () => {},
): Promise<{ shop: TestShop; clock: ManualClock }> {
  const upstream = await startUpstream((req, res) => res.end(collectionResponse(req.url ?? '')));
  const clock = new ManualClock();
  const shop = await startTestShop(upstream.url, { clock, fulfil, hooks: { failpoint } });
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
  (
    await shop.rows<{ state: string; attempts: number }>(
      'select state, attempts from service_pay_fulfilments where reference = ?',
      reference,
    )
  )[0];

describe('a paid order', () => {
  test('a paid order that waits behind many others is handed over as soon as one of them ends', async () => {
    const allPaid = Promise.withResolvers<void>();
    const { shop } = await shopThat(() => allPaid.promise);
    await Promise.all(Array.from({ length: 40 }, () => payOrder(shop)));

    allPaid.resolve();

    const done = async () =>
      (await shop.rows("select 1 from service_pay_fulfilments where state = 'done'")).length;
    await vi.waitFor(async () => expect(await done()).toBe(40), PATIENT);
  });

  test('a paid order is tried again at growing intervals with the same key, then parked with an alert, until a person redrives it (T112)', async () => {
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
      const [row] = await shop.rows<{ due_at: number }>(
        'select due_at from service_pay_fulfilments where reference = ?',
        reference,
      );
      // past no lease: its order would be taken over
      await clock.jump(Math.max(1_000, (row!.due_at - clock.now()) / 2));
      expect(await stateOf(shop, reference)).toEqual({ state: 'parked', attempts: 10 });
    }, PATIENT);
    const pauses = times.slice(1).map((time, at) => time - times[at]!);

    expect(new Set(keys)).toEqual(new Set([reference]));
    expect(keys).toHaveLength(10);
    for (const [at, pause] of pauses.slice(1).entries()) expect(pause).toBeGreaterThan(pauses[at]!);
    expect(
      shop.lines.filter((line) => line.includes('"level":50') && line.includes(reference)),
    ).toHaveLength(1);

    works = true;
    const database = await openDatabase(shop.config.databaseUrl, PATIENT_DATABASE);
    expect(
      await new FulfilmentStore(database).redrive({ reference, who: 'ann', now: clock.now() }),
    ).toBe(true);
    await database.close();
    await vi.waitFor(async () => {
      await clock.advance(1_000);
      expect(await stateOf(shop, reference)).toEqual({ state: 'done', attempts: 1 });
    }, PATIENT);
  });

  test('a paid order is handed over while 32 calls hang (T112)', async () => {
    let calls = 0;
    const hung = Promise.withResolvers<void>();
    const { shop, clock } = await shopThat(async () => {
      calls += 1;
      if (calls <= 32) await hung.promise;
    });
    await Promise.all(Array.from({ length: 32 }, () => payOrder(shop)));
    await vi.waitFor(() => expect(calls).toBe(32), PATIENT);

    const reference = await payOrder(shop);

    await vi.waitFor(async () => {
      await clock.advance(1_000);
      expect(await stateOf(shop, reference)).toEqual({ state: 'done', attempts: 1 });
    }, PATIENT);
    hung.resolve();
  });

  test('a paid order whose call hangs holds up no other, and is called again after a minute (T112)', async () => {
    const calls: string[] = [];
    const { shop, clock } = await shopThat(async ({ reference }, { signal }) => {
      calls.push(reference);
      if (calls.filter((call) => call === calls[0]).length === 1 && reference === calls[0]) {
        await new Promise((_resolve, reject) =>
          signal.addEventListener('abort', () => reject(signal.reason)),
        );
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

test('an order whose lease ran out while its machine slept is not handed over a second time beside the call that still runs (T111)', async () => {
  const ended = Promise.withResolvers<void>();
  let calls = 0;
  const { shop, clock } = await shopThat(async (_order, { signal }) => {
    calls += 1;
    signal.addEventListener('abort', () => (calls += 100));
    await ended.promise;
  });
  const reference = await payOrder(shop);
  await vi.waitFor(() => expect(calls).toBe(1), PATIENT);

  for (let slept = 0; slept < 5; slept++) {
    await clock.jump(10_000);
    // The lease is held again, by a claim or by being renewed.
    await vi.waitFor(async () => {
      await clock.advance(0);
      const [row] = await shop.rows<{ lease_until: number }>(
        'select lease_until from service_pay_fulfilments',
      );
      expect(row!.lease_until).toBeGreaterThan(clock.now());
    }, PATIENT);
    await clock.advance(1_000);
  }
  ended.resolve();

  await vi.waitFor(
    async () => expect((await stateOf(shop, reference))?.state).toBe('done'),
    PATIENT,
  );
  expect(calls).toBe(1);
});

test('orders that many deaths have made suspect are handed over one after another, without a pause between two that go well (T112)', async () => {
  const { url, drop } = await makeDatabaseUrl('sqlite');
  const database = await openDatabase(url, PATIENT_DATABASE);
  const [store, fulfilments] = [new PaymentStore(database), new FulfilmentStore(database)];
  const clock = new ManualClock();
  const diedAt = clock.now() - 60_000;
  for (let at = 0; at < 20; at++) await payIn(store, `order-${at}`, diedAt);
  for (let life = 0; life < 3; life++)
    await fulfilments.claim({
      owner: `life ${life}`,
      now: diedAt + life * 3_000,
      leaseMs: 2_000,
      limit: 32,
    });
  await addEnvironment(database.db, OWN_ENVIRONMENT);
  await database.close();
  let calls = 0;
  let most = 0;
  let running = 0;
  const fulfil: Fulfil = async () => {
    calls += 1;
    most = Math.max(most, ++running);
    await new Promise(setImmediate);
    running -= 1;
  };
  const shop = await startTestShop('http://127.0.0.1:9', { clock, fulfil }, { DATABASE_URL: url });
  closers.push(drop, shop.close);

  await vi.waitFor(async () => {
    if (calls === 0) await clock.advance(1_000);
    expect(
      await shop.rows("select 1 from service_pay_fulfilments where state = 'done'"),
    ).toHaveLength(20);
  }, PATIENT);

  expect({ calls, most }).toEqual({ calls: 20, most: 1 });
});

test('an order that ends every process that tries it takes no other with it, and is parked in the end (T112)', async () => {
  const { url, drop } = await makeDatabaseUrl('sqlite');
  const database = await openDatabase(url, PATIENT_DATABASE);
  closers.push(drop, () => database.close());
  const [shop, fulfilments] = [new PaymentStore(database), new FulfilmentStore(database)];
  const references = ['poison', ...Array.from({ length: 20 }, (_, at) => `good-${at}`)];
  for (const reference of references) await payIn(shop, reference, 0);
  const attempts = new Map<string, number>();
  const crashes: number[] = [];

  const live = async (now: number) => {
    const owner = `life ${now}`;
    const suspect = await fulfilments.claimSuspect({ owner, now, leaseMs: 3_000 });
    const claimed = [
      ...(suspect ? [suspect] : await fulfilments.claim({ owner, now, leaseMs: 3_000, limit: 32 })),
    ];
    for (const { reference, attempts: count } of claimed) attempts.set(reference, count);
    if (claimed.some(({ reference }) => reference === 'poison')) return void crashes.push(now);
    for (const one of claimed)
      expect(await fulfilments.release(one, owner, { state: 'done', done_at: 1 })).toBe(true);
  };
  for (let now = 0; (attempts.get('poison') ?? 0) < 10 && now < 3_600_000; now += 1_000)
    await live(now);

  const rows = await readRows<{ reference: string; state: string }>(
    url,
    'select reference, state from service_pay_fulfilments',
  );
  expect(
    rows
      .filter(({ state }) => state === 'done')
      .map(({ reference }) => reference)
      .sort(),
  ).toEqual(references.slice(1).sort());
  expect(
    Math.max(...references.slice(1).map((reference) => attempts.get(reference)!)),
  ).toBeLessThanOrEqual(4);
  expect(crashes).toHaveLength(10);
  const pauses = crashes.slice(1).map((at, index) => at - crashes[index]!);
  expect(pauses.slice(0, 2)).toEqual([3_000, 3_000]);
  for (const [at, pause] of pauses.slice(4).entries())
    expect(pause).toBeGreaterThan(at ? pauses[3 + at]! : pauses[0]!);
});
