import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { passTimeUntil } from '../../test/parts.ts';
import { openPayments } from '../../test/payments.ts';
import { DATABASES, makeDatabaseUrl, readRows, type TestDatabase } from '../testing/databases.ts';
import { ManualClock } from '../testing/manual-clock.ts';
import { collectionResponse, startUpstream } from '../testing/upstream.ts';

const ORDER = { amount: '92.50', currency: 'ZMW', owner: 'ann', data: {} };
const HOUR_MS = 60 * 60_000;
const DAYS_MS = 24 * HOUR_MS;

describe.each(DATABASES)('after a clock was set back by 40 days, on %s,', (kind) => {
  let database: TestDatabase;
  let service: Awaited<ReturnType<typeof startUpstream>>;
  let status: string;
  const right = Date.UTC(2026, 0, 1);

  beforeEach(async () => {
    database = await makeDatabaseUrl(kind);
    status = 'pending';
    service = await startUpstream((req, res) => res.end(collectionResponse(req.url!, { status })));
  });

  afterEach(async () => {
    await service.close();
    await database.drop();
  });

  function open(clock: ManualClock, fulfil = async () => {}, background = true) {
    return openPayments({
      apiUrl: service.url,
      database: database.url,
      fulfil,
      clock,
      background,
    });
  }

  const stateOf = async () => {
    const [row] = await readRows<{ state: string; fulfilment: string | null }>(
      database.url,
      'select state, fulfilment from service_pay_orders',
    );
    return row;
  };

  test('after a clock was set back by 40 days, a payment is verified and fulfilled within seconds of a start', async () => {
    const wrong = await open(new ManualClock(right + 40 * DAYS_MS));
    await wrong.create(ORDER);
    await wrong.close();
    status = 'successful';
    const clock = new ManualClock(right);
    const payments = await open(clock);
    const startedAt = clock.now();

    await passTimeUntil(clock, async () =>
      expect(await stateOf()).toEqual({ state: 'paid', fulfilment: 'done' }),
    );

    expect(clock.now() - startedAt).toBeLessThan(60_000);
    await payments.close();
  });

  test('after a clock was set back by 40 days, a paid order whose call failed is fulfilled by the next pass of work', async () => {
    status = 'successful';
    const fail = () => Promise.reject(new Error('The warehouse is closed.'));
    const wrong = await open(new ManualClock(right + 40 * DAYS_MS), fail, false);
    await wrong.create(ORDER).then(({ reference }) => wrong.confirm(reference, ORDER));
    await wrong.work();
    await wrong.close();
    const payments = await open(new ManualClock(right), async () => {}, false);

    await payments.work();

    expect(await stateOf()).toEqual({ state: 'paid', fulfilment: 'done' });
    await payments.close();
  });

  test('after a clock was set back by 40 days, a payment of an unknown age is polled ever more rarely, and not each minute for 40 days', async () => {
    const wrong = await open(new ManualClock(right + 40 * DAYS_MS));
    await wrong.create(ORDER);
    await wrong.close();
    const clock = new ManualClock(right);
    const payments = await open(clock, async () => {}, false);
    service.calls.length = 0;

    for (let minutes = 0; minutes < 12 * 60; minutes += 10) {
      await clock.jump(10 * 60_000);
      await payments.work();
    }

    expect(service.calls.length).toBeGreaterThan(3);
    expect(service.calls.length).toBeLessThan(20);
    await payments.close();
  });
});
