import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { NoAnswerError } from '../../../src/database/no-answer-error.ts';
import {
  type Database,
  isDatabaseFailure,
  type OpenOptions,
  openDatabase,
} from '../../../src/database/open.ts';
import { PaymentFeed } from '../../../src/events/bus.ts';
import { FulfilmentStore } from '../../../src/fulfilment/store.ts';
import { Metrics } from '../../../src/observe/metrics.ts';
import { tellAtStart } from '../../../src/observe/startup-alerts.ts';
import { buildConfirm, type Confirm, type Trigger } from '../../../src/payments/confirm.ts';
import { ShopStore } from '../../../src/payments/store.ts';
import {
  DATABASES,
  makeDatabaseUrl,
  PATIENT_DATABASE,
  POSTGRES_IS_MISSING,
  readRows,
  type TestDatabase,
} from '../../database.ts';
import { ManualClock, PATIENT } from '../../manual-clock.ts';
import { buildTestLog, passTimeUntil } from '../../parts.ts';
import { openSlowCommits } from '../../slow-commits.ts';
import { collectionAnswer, startUpstream } from '../../upstream.ts';
import { startTestShop } from '../shop.ts';

const NO_ANSWER = new NoAnswerError('The database did not write in time.');

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
async function open(
  url: string,
  amount: string,
  options: OpenOptions = PATIENT_DATABASE,
): Promise<void> {
  database = await openDatabase(url, options);
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

async function countAlerts(reason: string): Promise<number> {
  const { body } = await metrics.text();
  return Number(body.match(new RegExp(`shop_alerts_total\\{reason="${reason}"\\} (\\d+)`))?.[1]);
}

const alertLines = () => lines.filter((line) => line.includes('"level":50'));

/** One that may wait for an earlier one. */
async function confirmInTime(reference: string, trigger: Trigger): Promise<void> {
  const answered = vi.fn();
  await Promise.all([
    confirm(reference, trigger).then(answered),
    passTimeUntil(clock, () => expect(answered).toHaveBeenCalled()),
  ]);
}

describe.each(DATABASES)('money that needs review on %s', (kind) => {
  beforeEach(async () => {
    home = await makeDatabaseUrl(kind);
    await open(home.url, '9.00');
  });

  afterEach(async () => {
    await database.close();
    await home.drop();
  });

  test('raises its one alert also where its move was made and not answered, however often it is asked about (D51)', async () => {
    const { move } = store;
    vi.spyOn(store, 'move').mockImplementationOnce(async (...given) => {
      await move.apply(store, given);
      throw NO_ANSWER;
    });
    await expect(confirm('first', 'success')).rejects.toSatisfy(isDatabaseFailure);
    expect(await stateOf('first')).toBe('needs-review');

    for (const trigger of ['success', 'due'] as const) await confirmInTime('first', trigger);

    expect(alertLines()).toEqual([
      expect.stringContaining('payment is not what was ordered: it needs review'),
    ]);
    expect(alertLines()[0]).toContain('"reason":"amount differs: ZMW 9.00 arrived"');
    expect(await countAlerts('needs_review')).toBe(1);
  });

  test('raises it also where the move is made long after it was given up (D51)', async () => {
    const { move } = store;
    let moveAtLast = async () => {};
    const moving = vi.spyOn(store, 'move').mockImplementationOnce(async (...given) => {
      moveAtLast = async () => expect(await move.apply(store, given)).toBe(true);
      throw NO_ANSWER;
    });
    moving.mockRejectedValueOnce(NO_ANSWER); // it is asked once more by itself
    await expect(confirm('first', 'success')).rejects.toSatisfy(isDatabaseFailure);
    await passTimeUntil(clock, () => expect(moving).toHaveBeenCalledTimes(2));

    await moveAtLast();
    await clock.advance(2_000);
    for (const trigger of ['due', 'success'] as const) await confirmInTime('first', trigger);

    expect(alertLines()).toHaveLength(1);
    expect(await countAlerts('needs_review')).toBe(1);
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

test.skipIf(POSTGRES_IS_MISSING)(
  'an order that was paid twice while commits are answered late raises its one alert (D51)',
  async () => {
    home = await makeDatabaseUrl('postgres');
    const slow = await openSlowCommits(home.url);
    await open(slow.url, '10.00', {});
    onTestFinished(async () => {
      await database.close();
      await slow.close();
      await home.drop();
    });
    await confirm('first', 'success');
    slow.delayMs = 600;
    await expect(confirm('second', 'success')).rejects.toSatisfy(isDatabaseFailure);
    slow.delayMs = 0;

    await passTimeUntil(clock, () => expect(alertLines()).toHaveLength(1));
    await confirmInTime('second', 'success');

    expect(await stateOf('second')).toBe('needs-review');
    expect(alertLines()).toEqual([expect.stringContaining('order was paid twice')]);
    expect([await countAlerts('paid_twice'), await countAlerts('needs_review')]).toEqual([1, 0]);
  },
);

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

describe('what waits for a person as a shop starts', () => {
  beforeEach(() => {
    clock = new ManualClock();
    metrics = new Metrics();
    lines = [];
  });

  function start(...answers: (Error | { inReview: number; parked: number })[]) {
    const countForPerson = vi.fn(async () => {
      const answer = answers.shift()!;
      if (answer instanceof Error) throw answer;
      return answer;
    });
    const stop = tellAtStart({
      figures: { countForPerson },
      metrics,
      clock,
      log: buildTestLog(lines),
    });
    return { countForPerson, stop };
  }

  test('is asked for until the database says it, and told once', async () => {
    const { countForPerson } = start(NO_ANSWER, NO_ANSWER, { inReview: 1, parked: 0 });

    await passTimeUntil(clock, () => expect(lines).toHaveLength(1));
    await clock.advance(60_000);

    expect(countForPerson).toHaveBeenCalledTimes(3);
    expect(lines).toEqual([
      expect.stringContaining('waiting for a person since before this start'),
    ]);
  });

  test('is not asked for again where asking is what is wrong: that is said once', async () => {
    const { countForPerson } = start(new TypeError('AGES is not iterable'));

    await passTimeUntil(clock, () => expect(lines).toHaveLength(1));
    await clock.advance(60_000);

    expect(countForPerson).toHaveBeenCalledTimes(1);
    expect(lines).toEqual([
      expect.stringMatching(
        /"level":50.*AGES is not iterable.*could not learn what waits for a person/,
      ),
    ]);
  });

  test.each([new TypeError('The database is closed.'), NO_ANSWER])(
    "is nobody's business once that shop has closed (%o)",
    async (error) => {
      const { countForPerson, stop } = start(error);
      stop();
      await clock.advance(60_000);

      expect(countForPerson).toHaveBeenCalledTimes(1);
      expect(lines).toEqual([]);
    },
  );
});
