import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type CallsUnderWay, watchCalls } from '../test/calls-under-way.ts';
import { PATIENT, PATIENT_DATABASE } from '../test/patience.ts';
import { openPayments } from '../test/payments.ts';
import { openDatabase } from './database/open.ts';
import type { Payments } from './index.ts';
import { PaymentStore } from './payments/store.ts';
import { makeDatabaseUrl, POSTGRES_IS_MISSING, type TestDatabase } from './testing/databases.ts';
import { ManualClock } from './testing/manual-clock.ts';
import { collectionResponse, startUpstream } from './testing/upstream.ts';

const ORDER = { amount: '92.50', currency: 'ZMW', owner: 'ann', data: {} };

describe.skipIf(POSTGRES_IS_MISSING)('an idle shop', () => {
  let home: TestDatabase;
  let service: Awaited<ReturnType<typeof startUpstream>>;
  let clock: ManualClock;
  let payments: Payments;
  let fulfilled: string[];
  let calls: CallsUnderWay;

  beforeEach(async () => {
    home = await makeDatabaseUrl('postgres');
    service = await startUpstream((req, res) => res.end(collectionResponse(req.url!)));
    clock = new ManualClock();
    fulfilled = [];
    calls = watchCalls();
    payments = await openPayments({
      apiUrl: service.url,
      database: home.url,
      fulfil: async ({ reference }) => void fulfilled.push(reference),
      clock,
    });
  });

  afterEach(async () => {
    await payments.close();
    await service.close();
    await home.drop();
  });

  const passSeconds = async (seconds: number) => {
    for (let passed = 0; passed < seconds; passed++) {
      await clock.advance(1_000);
      await calls.settle();
    }
  };

  test('an idle shop sends less than one statement a second (B26a)', async () => {
    const { reference } = await payments.create(ORDER);
    await payments.confirm(reference, ORDER);
    await vi.waitFor(() => expect(fulfilled).toEqual([reference]), PATIENT);
    await passSeconds(60);
    const before = calls.statements;

    await passSeconds(120);

    expect(calls.statements - before).toBeGreaterThan(0);
    expect(calls.statements - before).toBeLessThan(120);
  });

  test('an idle shop fulfils at once what it confirms itself, and within five seconds what another process writes', async () => {
    await passSeconds(60);
    const own = await payments.create(ORDER);
    await payments.confirm(own.reference, ORDER);
    await vi.waitFor(() => expect(fulfilled).toEqual([own.reference]), PATIENT);

    await passSeconds(60);
    const other = await openDatabase(home.url, PATIENT_DATABASE);
    const order = { ...ORDER, id: 'other' };
    await new PaymentStore(other).placeOrder(order, 'other', {
      checkAt: clock.now(),
      now: clock.now(),
    });
    await new PaymentStore(other).markPaid('other', clock.now());
    await other.close();
    await passSeconds(6);
    expect(fulfilled).toEqual([own.reference, 'other']);
  });

  test('an idle shop polls a new payment when it is due, and tries a failed fulfilment again in time', async () => {
    await passSeconds(60);
    await payments.create(ORDER);
    const createdAt = clock.now();

    while (fulfilled.length === 0) await passSeconds(1);

    expect(clock.now() - createdAt).toBeLessThan(11_000);
  });
});
