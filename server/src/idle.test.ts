import pg from 'pg';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { buildTestLog, passTimeUntil } from '../test/parts.ts';
import { PATIENT, PATIENT_DATABASE } from '../test/patience.ts';
import { openDatabase } from './database/open.ts';
import { createPayments, type Payments } from './index.ts';
import { PaymentStore } from './payments/store.ts';
import { makeDatabaseUrl, POSTGRES_IS_MISSING, type TestDatabase } from './testing/databases.ts';
import { ManualClock } from './testing/manual-clock.ts';
import { collectionAnswer, startUpstream, TOKEN } from './testing/upstream.ts';

const ORDER = { amount: '92.50', currency: 'ZMW', owner: 'ann', data: {} };

/** Counts statements, those within one message too, and knows whether some are still running. */
function watchStatements() {
  const { query } = pg.Client.prototype;
  const seen = { count: 0, running: 0 };
  vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (
    this: pg.Client,
    ...given: unknown[]
  ) {
    const [asked] = given as [string | pg.QueryConfig];
    seen.count += (typeof asked === 'string' ? asked : asked.text).split(';').length;
    seen.running += 1;
    const sent = Reflect.apply(query, this, given) as Promise<unknown>;
    const end = () => {
      seen.running -= 1;
    };
    if (sent instanceof Promise) sent.then(end, end);
    else end();
    return sent;
  } as never);
  return seen;
}

describe.skipIf(POSTGRES_IS_MISSING)('an idle shop', () => {
  let home: TestDatabase;
  let service: Awaited<ReturnType<typeof startUpstream>>;
  let clock: ManualClock;
  let payments: Payments;
  let fulfilled: string[];
  let statements: ReturnType<typeof watchStatements>;

  beforeEach(async () => {
    home = await makeDatabaseUrl('postgres');
    service = await startUpstream((req, res) => res.end(collectionAnswer(req.url!)));
    clock = new ManualClock();
    fulfilled = [];
    statements = watchStatements();
    payments = await createPayments({
      apiUrl: service.url,
      apiToken: TOKEN,
      publicKey: 'pub_test',
      database: home.url,
      fulfil: async ({ reference }) => void fulfilled.push(reference),
      log: buildTestLog(),
      clock,
      ...PATIENT_DATABASE,
    });
  });

  afterEach(async () => {
    await payments.close();
    vi.restoreAllMocks();
    await service.close();
    await home.drop();
  });

  const passSeconds = async (seconds: number) => {
    for (let passed = 0; passed < seconds; passed++) {
      await clock.advance(1_000);
      do await new Promise(setImmediate);
      while (statements.running);
    }
  };

  test('sends less than one statement a second (B26a)', async () => {
    const { reference } = await payments.create(ORDER);
    await payments.confirm(reference, ORDER);
    await vi.waitFor(() => expect(fulfilled).toEqual([reference]), PATIENT);
    await passSeconds(60);
    const before = statements.count;

    await passSeconds(120);

    expect(statements.count - before).toBeGreaterThan(0);
    expect(statements.count - before).toBeLessThan(120);
  });

  test('fulfils at once what it confirms itself, and within five seconds what another process writes', async () => {
    await passSeconds(60);
    const own = await payments.create(ORDER);
    await payments.confirm(own.reference, ORDER);
    await vi.waitFor(() => expect(fulfilled).toEqual([own.reference]), PATIENT);

    await passSeconds(60);
    const other = await openDatabase(home.url, PATIENT_DATABASE);
    const order = { ...ORDER, id: 'other' };
    await new PaymentStore(other).placeOrder(order, 'other', clock.now(), clock.now());
    await new PaymentStore(other).markPaid('other', clock.now());
    await other.close();
    await passSeconds(6);
    await vi.waitFor(() => expect(fulfilled).toEqual([own.reference, 'other']), PATIENT);
  });

  test('polls a new payment when it is due, and tries a failed fulfilment again in time', async () => {
    await passSeconds(60);
    const { reference } = await payments.create(ORDER);
    const createdAt = clock.now();

    await passTimeUntil(clock, () => expect(fulfilled).toEqual([reference]));

    expect(clock.now() - createdAt).toBeLessThan(11_000);
  });
});
