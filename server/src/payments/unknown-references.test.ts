import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type CallsUnderWay, watchCalls } from '../../test/calls-under-way.ts';
import { runShopCommand } from '../../test/command.ts';
import { buildTestLog, passTimeUntil } from '../../test/parts.ts';
import { PATIENT_DATABASE } from '../../test/patience.ts';
import {
  ONE_HONEY,
  postWebhook,
  startTestShop,
  TestBrowser,
  type TestShop,
} from '../../test/shop.ts';
import { type Database, openDatabase } from '../database/open.ts';
import { Metrics } from '../observe/metrics.ts';
import { DATABASES, makeDatabaseUrl, type TestDatabase } from '../testing/databases.ts';
import { ManualClock } from '../testing/manual-clock.ts';
import { collectionResponse, signedWebhook, startUpstream } from '../testing/upstream.ts';
import { changeOwner } from './change-owner.ts';
import { newReference } from './create.ts';
import { PaymentStore } from './store.ts';
import { startUnknownReferenceAlerts } from './unknown-references.ts';

const MINUTE = 60_000;

describe.each(DATABASES)('a success for a reference without a payment, on %s,', (kind) => {
  let upstream: Awaited<ReturnType<typeof startUpstream>>;
  let database: TestDatabase;
  let clock: ManualClock;
  let shops: TestShop[];
  let status: string;
  let calls: CallsUnderWay;

  beforeEach(async () => {
    status = 'successful';
    upstream = await startUpstream((req, res) =>
      res.end(collectionResponse(req.url ?? '', { status })),
    );
    database = await makeDatabaseUrl(kind);
    clock = new ManualClock();
    shops = [];
    calls = watchCalls();
  });

  afterEach(async () => {
    for (const shop of shops) await shop.close();
    await upstream.close();
    await database.drop();
  });

  async function start(): Promise<TestShop> {
    const shop = await startTestShop(upstream.url, { clock }, { DATABASE_URL: database.url });
    shops.push(shop);
    return shop;
  }

  async function pass(minutes: number): Promise<void> {
    for (let passed = 0; passed < minutes * MINUTE; passed += 10_000) {
      await clock.advance(10_000);
      await calls.settle();
    }
  }

  const alertsOf = (shop: TestShop) =>
    shop.lines.map((line) => JSON.parse(line)).filter(({ msg }) => /^money received/.test(msg));
  const alerts = () => shops.flatMap(alertsOf);

  test('a success for a reference without a payment raises one alert after five minutes, whichever instance looks and however often it is reported (T143)', async () => {
    const [one] = [await start(), await start()];
    const reference = newReference(clock.now());
    expect(await postWebhook(one, reference)).toBe(200);
    const { body, headers } = signedWebhook('collection.successful', { reference, more: 1 });
    await new TestBrowser(one.url).post('/webhooks/service-pay', body, headers);

    await pass(4.5);
    expect(alerts()).toEqual([]);
    await pass(1);
    expect(alerts()).toMatchObject([{ level: 50, reference }]);

    const again = signedWebhook('collection.successful', { reference, more: 2 });
    await new TestBrowser(one.url).post('/webhooks/service-pay', again.body, again.headers);
    await start();
    await pass(8);
    expect(alerts()).toHaveLength(1);
    const figures = await Promise.all(shops.map((shop) => shop.browser().get('/metrics')));
    const counts = figures.map(({ text }) => /reason="unknown_reference"\} (\d)/.exec(text)?.[1]);
    expect(counts.sort()).toEqual(['0', '0', '1']);
  });

  test.each(['unknown-reference', 'readyz'])(
    'a success for a reference without a payment raises one alert also in a shop with an owner called %s, whose orders are found again',
    async (owner) => {
      const shop = await start();
      const browser = shop.browser();
      browser.cookie = `owner=${owner}`;
      const reference = newReference(clock.now());
      const place = () => browser.post('/api/orders', ONE_HONEY, { 'idempotency-key': reference });
      const placed = (await place()).json.data.reference;
      expect(await postWebhook(shop, reference)).toBe(200);
      const health = await browser.get('/readyz');

      await pass(5.5);
      expect(alerts()).toMatchObject([{ level: 50, reference }]);
      const shared = await openDatabase(database.url, PATIENT_DATABASE);
      await changeOwner(shared, { from: owner, to: 'ann' });
      await shared.close();
      await pass(5);

      expect(health.status).toBe(200);
      expect(alerts()).toHaveLength(1);
      browser.cookie = 'owner=ann';
      expect((await place()).json.data.reference).toBe(placed);
    },
  );

  test('a success for a reference without a payment raises one alert if two instances look at the same moment (T143)', async () => {
    const shared = await openDatabase(database.url, PATIENT_DATABASE);
    const reference = newReference(clock.now());
    const event = { event: 'collection.successful', reference, body: '{}' };
    const delivery = { id: 'one', ...event, received_at: clock.now() };
    await new PaymentStore(shared).storeDelivery(delivery, clock.now());
    await clock.advance(6 * MINUTE);
    const haveLooked = Promise.withResolvers<void>();
    const writes: Promise<unknown>[] = [];
    const held: Database = {
      ...shared,
      write: (write) => {
        const written = haveLooked.promise.then(() => shared.write(write));
        if (writes.push(written) === 2) haveLooked.resolve();
        return written;
      },
    };
    const lines: string[] = [];
    const parts = { metrics: new Metrics(), clock, log: buildTestLog(lines) };
    const stops = [held, held].map((one) => startUnknownReferenceAlerts(one, parts));
    await passTimeUntil(clock, () => expect(writes).toHaveLength(2), 1_000);
    await Promise.all(writes);
    await Promise.all(stops.map((stop) => stop()));
    await shared.close();

    expect(lines).toHaveLength(1);
  });

  test('a success for a reference without a payment raises its alert also if the instance that took it has gone (T143)', async () => {
    const first = await start();
    const reference = newReference(clock.now());
    await postWebhook(first, reference);
    await first.close();
    shops = [];
    await start();

    await pass(5.5);
    expect(alerts()).toMatchObject([{ reference }]);
  });

  test('a success for a reference without a payment raises no alert if its payment is committed within five minutes, which is confirmed (T143)', async () => {
    const shop = await start();
    const reference = newReference(clock.now());
    await postWebhook(shop, reference);
    await pass(4);
    const own = await openDatabase(database.url, PATIENT_DATABASE);
    const order = { id: reference, owner: 'b', data: {}, amount: '92.50', currency: 'ZMW' };
    await new PaymentStore(own).placeOrder(order, reference, {
      checkAt: clock.now() - 4 * MINUTE,
      now: clock.now(),
    });
    await own.close();

    await pass(0.5);
    expect(await shop.stateOf(reference)).toBe('paid');
    await pass(6);
    expect(alerts()).toEqual([]);
  });

  test('a success for a reference without a payment raises no alert if the reference is not of our form, or the event is no success (T143)', async () => {
    const shop = await start();
    const reference = newReference(clock.now());
    const others = ['of-another-system', 'shop-1', `${reference}0`];
    const nearby = [reference.toUpperCase(), reference.replace('shop', 'shops').slice(0, -1)];
    for (const other of [...others, ...nearby]) await postWebhook(shop, other);
    await postWebhook(shop, reference, 'collection.failed');

    await pass(8);

    expect(alerts()).toEqual([]);
  });

  test('a success for a reference without a payment raises no alert if its payment is there and not decided yet (T143)', async () => {
    status = 'pending';
    const shop = await start();
    const reference = await shop.browser().order();
    await postWebhook(shop, reference);

    await pass(8);

    expect(alerts()).toEqual([]);
    expect(await shop.stateOf(reference)).toBe('awaiting-payment');
  });

  test('a success for a reference without a payment is listed by the doctor (T143)', async () => {
    clock = new ManualClock(Date.now() - 10 * MINUTE);
    const shop = await start();
    const reference = newReference(clock.now());
    await postWebhook(shop, reference);

    const { stdout } = await runShopCommand('doctor', shop.config, [], { PUBLIC_URL: shop.url });

    expect(stdout).toMatch(
      new RegExp(
        `^problem +Unknown +Money was received .*: ${reference}\\.\n +→ Look each up`,
        'm',
      ),
    );
  });
});
