import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { NoAnswerError } from '../../../src/database/no-answer-error.ts';
import { type Database, openDatabase } from '../../../src/database/open.ts';
import { PaymentFeed } from '../../../src/events/bus.ts';
import { FulfilmentStore } from '../../../src/fulfilment/store.ts';
import { Metrics } from '../../../src/observe/metrics.ts';
import { tellAtStart } from '../../../src/observe/startup-alerts.ts';
import { buildConfirm, type Confirm } from '../../../src/payments/confirm.ts';
import { ShopStore } from '../../../src/payments/store.ts';
import {
  DATABASES,
  makeDatabaseUrl,
  PATIENT_DATABASE,
  readRows,
  type TestDatabase,
} from '../../database.ts';
import { ManualClock, PATIENT } from '../../manual-clock.ts';
import { buildTestLog } from '../../parts.ts';
import { collectionAnswer, startUpstream } from '../../upstream.ts';
import { startTestShop } from '../shop.ts';

const _NO_ANSWER = new NoAnswerError('The database did not write in time.');

let home: TestDatabase;
let database: Database;
let store: ShopStore;
let clock: ManualClock;
let metrics: Metrics;
let lines: string[];
let confirm: Confirm;

/**
 * A confirm over the rows of an order with two payments, of which the service says that they were
 * paid with `amount`.
 */
async function open(url: string, amount: string): Promise<void> {
  database = await openDatabase(url, PATIENT_DATABASE);
  store = new ShopStore(database);
  clock = new ManualClock();
  metrics = new Metrics();
  lines = [];
  const log = buildTestLog(lines);
  const service = {
    verify: async (reference: string) => ({
      reference,
      status: 'successful',
      amount,
      currency: 'ZMW',
    }),
  };
  confirm = buildConfirm({ store, service, feed: new PaymentFeed(), metrics, clock, log });
  const order = {
    id: 'o',
    owner: 'b',
    data: {},
    amount: '10.00',
    currency: 'ZMW',
  };
  await store.placeOrder(order, 'first', clock.now(), clock.now());
  await store.addPayment('o', 'second', clock.now(), clock.now());
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

  test('raises it once where two instances move it at the same time (D51)', async () => {
    const { move } = store;
    vi.spyOn(store, 'move').mockImplementationOnce(async (...given) => {
      expect(await move.apply(store, given)).toBe(true); // by the other, which has told of it
      return move.apply(store, given);
    });

    await confirm('first', 'success');

    expect(await stateOf('first')).toBe('needs-review');
    expect(alertLines()).toEqual([]);
  });
});

test('what a process died with before it could say so, the next one says in one line (D51)', async () => {
  home = await makeDatabaseUrl('sqlite');
  const upstream = await startUpstream(
    (req, res) => void res.end(collectionAnswer(req.url!, { amount: '1.00' })),
  );
  let isDead = false;
  const buried = Promise.withResolvers<void>();
  const failpoint = (name: string) =>
    isDead && name === 'after-commit' ? buried.promise : undefined;
  const first = await startTestShop(upstream.url, { failpoint }, { DATABASE_URL: home.url });
  const browser = first.browser();
  const reference = await browser.order();
  isDead = true;
  browser.verify(reference).catch(() => {}); // is never answered
  await vi.waitFor(
    async () => expect(await first.stateOf(reference)).toBe('needs-review'),
    PATIENT,
  );
  await parkAnother();

  const second = await startTestShop(
    upstream.url,
    { clock: new ManualClock(Date.now()) },
    { DATABASE_URL: home.url },
  );
  const said = () => second.lines.filter((line) => line.includes('waiting for a person'));
  await vi.waitFor(() => expect(said()).toHaveLength(1), PATIENT);

  expect(said()[0]).toMatch(/"level":50.*"inReview":1,"parked":1/);
  const { text } = await second.browser().get('/metrics');
  for (const reason of ['needs_review', 'fulfilment_parked'])
    expect(text).toContain(`shop_alerts_total{reason="${reason}"} 1`);
  await second.close();
  buried.resolve();
  await first.close();
  await upstream.close();
  await home.drop();

  async function parkAnother(): Promise<void> {
    const other = await openDatabase(home.url, PATIENT_DATABASE);
    const [payments, fulfilments] = [new ShopStore(other), new FulfilmentStore(other)];
    const order = {
      id: 'o',
      owner: 'b',
      data: {},
      amount: '1.00',
      currency: 'ZMW',
    };
    await payments.placeOrder(order, 'parked', Number.MAX_SAFE_INTEGER, 0);
    // due for nobody but who claims it here
    await payments.markPaid('parked', Number.MAX_SAFE_INTEGER);
    const [held] = await fulfilments.claim('one', Number.MAX_SAFE_INTEGER, 0, 1);
    expect(await fulfilments.park(held!, 'one')).toBe(true);
    await other.close();
  }
});

test('a shop that cannot learn what waits for a person says so once', async () => {
  const lines: string[] = [];
  const figures = { countForPerson: () => Promise.reject(new TypeError('AGES is not iterable')) };

  await tellAtStart({
    figures,
    metrics: new Metrics(),
    clock: new ManualClock(),
    log: buildTestLog(lines),
  });

  expect(lines).toEqual([expect.stringMatching(/"level":50.*AGES.*could not learn what waits/)]);
});
