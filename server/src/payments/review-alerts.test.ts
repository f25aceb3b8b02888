import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { buildTestLog } from '../../test/parts.ts';
import { PATIENT_DATABASE } from '../../test/patience.ts';
import { type Database, openDatabase } from '../database/open.ts';
import { Metrics } from '../observe/metrics.ts';
import { DATABASES, makeDatabaseUrl, readRows, type TestDatabase } from '../testing/databases.ts';
import { ManualClock } from '../testing/manual-clock.ts';
import { buildConfirm, type Confirm } from './confirm.ts';
import { PaymentFeed } from './payment-feed.ts';
import { PollPlan } from './poll-plan.ts';
import { PaymentStore } from './store.ts';

let home: TestDatabase;
let database: Database;
let store: PaymentStore;
let clock: ManualClock;
let metrics: Metrics;
let lines: string[];
let confirm: Confirm;

async function open(url: string, amount: string): Promise<void> {
  database = await openDatabase(url, PATIENT_DATABASE);
  store = new PaymentStore(database);
  clock = new ManualClock();
  metrics = new Metrics();
  lines = [];
  const log = buildTestLog(lines);
  const service = {
    circuit: 'closed' as const,
    lastCall: 'unknown' as const,
    verify: async (reference: string) => ({
      reference,
      status: 'successful',
      amount,
      currency: 'ZMW',
      reasonForFailure: null,
    }),
  };
  confirm = buildConfirm({
    store,
    polls: new PollPlan(database),
    service,
    feed: new PaymentFeed(),
    metrics,
    clock,
    log,
  });
  const order = {
    id: 'o',
    owner: 'b',
    data: {},
    amount: '10.00',
    currency: 'ZMW',
  };
  await store.placeOrder(order, 'first', { checkAt: clock.now(), now: clock.now() });
  await store.addPayment('o', { reference: 'second', checkAt: clock.now(), now: clock.now() });
}

async function stateOf(reference: string): Promise<string | undefined> {
  return (
    await readRows<{ state: string }>(
      home.url,
      'select state from service_pay_payments where reference = ?',
      [reference],
    )
  )[0]?.state;
}

const alertLines = () => lines.filter((line) => line.includes('"level":50'));

describe.each(DATABASES)('money that needs review on %s', (kind) => {
  beforeEach(async () => {
    home = await makeDatabaseUrl(kind);
    await open(home.url, '9.00');
  });

  afterEach(async () => {
    await database.close();
    await home.drop();
  });

  test('a payment that moves to review raises it once where two instances move it at the same time (D51)', async () => {
    const { move } = store;
    vi.spyOn(store, 'move').mockImplementationOnce(async (...given) => {
      expect(await move.apply(store, given)).toBe(true); // by the other, which has reported it
      return move.apply(store, given);
    });

    await confirm('first', 'success');

    expect(await stateOf('first')).toBe('needs-review');
    expect(alertLines()).toEqual([]);
  });
});
