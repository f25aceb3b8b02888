import { afterEach, expect, test, vi } from 'vitest';
import { PATIENT, PATIENT_DATABASE } from '../../test/patience.ts';
import { openDatabase } from '../database/open.ts';
import { NEVER } from '../database/schema.ts';
import { notKnownYet } from '../errors.ts';
import { buildLog } from '../observe/log.ts';
import { Metrics } from '../observe/metrics.ts';
import type { CircuitState } from '../service/circuit-breaker.ts';
import type { ServiceClient, VerifiedCollection } from '../service/client.ts';
import { pause } from '../support/clock.ts';
import { makeDatabaseUrl, readRows } from '../testing/databases.ts';
import { ManualClock } from '../testing/manual-clock.ts';
import { TOKEN } from '../testing/upstream.ts';
import { buildConfirm } from './confirm.ts';
import { ConfirmQueue } from './confirm-queue.ts';
import { PaymentFeed } from './payment-feed.ts';
import { PollPlan } from './poll-plan.ts';
import { nextPauseMs, Reconciler } from './reconciler.ts';
import { PaymentStore } from './store.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const FOUND: VerifiedCollection = {
  reference: 'ref',
  status: 'successful',
  amount: '10.00',
  currency: 'ZMW',
  reasonForFailure: null,
};

let closers: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closers.reverse()) await close();
  closers = [];
});

test('pauses grow as documented: 5, 10, 20, 40, 60 s until 45 minutes, then twice the last up to 6 h', () => {
  const pauses: number[] = [];
  let age = 0;
  for (let pause = 5_000; age < 3 * 24 * HOUR; pause = nextPauseMs(age, pause)) {
    pauses.push(pause / 1_000);
    age += pause;
  }

  expect(pauses.slice(0, 6)).toEqual([5, 10, 20, 40, 60, 60]);
  const minutes = pauses.filter((pause) => pause === 60).length;
  expect(minutes).toBeGreaterThanOrEqual(43);
  expect(pauses.slice(4 + minutes, 4 + minutes + 9)).toEqual([
    120, 240, 480, 960, 1920, 3840, 7680, 15_360, 21_600,
  ]);
});

async function reconcilerWith(
  orders: number,
  verify: (reference: string) => Promise<VerifiedCollection | undefined>,
) {
  const { url, drop } = await makeDatabaseUrl('sqlite');
  const database = await openDatabase(url, PATIENT_DATABASE);
  const clock = new ManualClock();
  const store = new PaymentStore(database);
  const polls = new PollPlan(database);
  const beganAt = clock.now();
  const rows = Array.from({ length: orders }, (_, at) => ({
    id: `order-${at}`,
    reference: `ref-${at}`,
  }));
  for (let at = 0; at < orders; at += 500) {
    const price = { amount: '10.00', currency: 'ZMW' };
    const some = rows.slice(at, at + 500);
    const times = {
      created_at: beganAt,
      moved_at: beganAt,
      check_at: beganAt + 5_000,
      check_pause_ms: 5_000,
    };
    const payment = {
      state: 'awaiting-payment' as const,
      review_reason: null,
      owner: 'b',
      data: '{}',
      ...price,
      ...times,
    };
    await database.db
      .insertInto('service_pay_payments')
      .values(some.map(({ id, reference }) => ({ reference, order_id: id, ...payment })))
      .execute();
  }
  const polled: { reference: string; at: number }[] = [];
  const service = {
    circuit: 'closed' as CircuitState,
    lastCall: 'unknown' as ServiceClient['lastCall'],
    verify: (reference: string) => {
      polled.push({ reference, at: clock.now() });
      return verify(reference);
    },
  };
  const log = buildLog({
    logLevel: 'silent',
    apiToken: TOKEN,
    previousApiToken: undefined,
    sessionSecret: 'x'.repeat(32),
  });
  const confirm = buildConfirm({
    store,
    polls,
    service,
    feed: new PaymentFeed(),
    metrics: new Metrics(),
    clock,
    log,
  });
  const confirms = new ConfirmQueue(confirm, log, 40);
  let running = 0;
  const { run } = confirms;
  confirms.run = (...task) => {
    running++;
    return run.apply(confirms, task).finally(() => running--);
  };
  let looks = 0;
  const counted: Pick<PollPlan, 'findNextDue' | 'claimDue' | 'planPoll'> = {
    async findNextDue() {
      looks++;
      return polls.findNextDue().finally(() => looks--);
    },
    async claimDue(...claim) {
      looks++;
      return polls.claimDue(...claim).finally(() => looks--);
    },
    planPoll: (...plan) => polls.planPoll(...plan),
  };
  const start = () => {
    const stop = new Reconciler({
      polls: counted,
      confirm,
      confirms,
      service,
      clock,
      log,
    }).start();
    closers.push(async () => stop());
  };
  const pass = async (seconds = 1) => {
    for (let passed = 0; passed < seconds; passed++) {
      await clock.advance(1_000);
      while (looks || running) await new Promise(setImmediate);
    }
  };
  closers.push(drop, () => database.close());
  const countIn = async (state: string) =>
    (await readRows(url, 'select reference from service_pay_payments where state = ?', [state]))
      .length;
  return { clock, service, polls: polled, start, pass, countIn, url };
}

function mostInASecond(polls: readonly { at: number }[]): number {
  const counts = polls.map(
    ({ at: from }) => polls.filter(({ at }) => at >= from && at < from + 1_000).length,
  );
  return Math.max(...counts);
}

test('after a start the many that are overdue are polled soon, and never more than 200 in a second (F5)', async () => {
  const { clock, polls, start, pass, countIn } = await reconcilerWith(1_000, async (reference) => ({
    ...FOUND,
    reference,
  }));
  await clock.jump(29 * 24 * HOUR);
  start();

  for (let seconds = 0; seconds < 120 && (await countIn('paid')) < 1_000; seconds++) await pass();

  expect(await countIn('paid')).toBe(1_000);
  expect(mostInASecond(polls)).toBeLessThanOrEqual(200);
  expect(new Set(polls.map(({ reference }) => reference)).size).toBe(polls.length);
});

test('a service that was slow gets no more than 200 calls in a second when it is fast again', async () => {
  let slow = 40;
  const { clock, polls, start, countIn } = await reconcilerWith(300, async (reference) => {
    if (slow-- > 0) await pause(clock, 900);
    return { ...FOUND, reference };
  });
  await clock.jump(HOUR);
  start();

  while ((await countIn('paid')) < 300) await clock.advance(100);

  expect(mostInASecond(polls)).toBeLessThanOrEqual(200);
});

test('a service that does not respond has no more than 100 payments claimed for it (F5)', async () => {
  const { clock, start, url } = await reconcilerWith(300, () => new Promise(() => {}));
  await clock.jump(5_000);
  const beganAt = clock.now();
  start();
  const countClaimed = async () =>
    (await readRows(url, 'select 1 from service_pay_payments where check_at > ?', [beganAt]))
      .length;
  await vi.waitFor(async () => {
    await clock.advance(1_000);
    expect(await countClaimed()).toBeGreaterThan(0);
  }, PATIENT);

  await clock.advance(3_000);
  expect(await countClaimed()).toBe(100);
});

test('while the circuit is open no payment is polled, and while it is half open one is', async () => {
  const { clock, service, polls, start, pass } = await reconcilerWith(200, async () => undefined);
  const pollsIn = async () => {
    const before = polls.length;
    await pass();
    return polls.length - before;
  };
  await clock.jump(MINUTE);
  service.circuit = 'open';
  start();

  expect([await pollsIn(), await pollsIn()]).toEqual([0, 0]);
  service.circuit = 'half-open';
  expect(await pollsIn()).toBe(1);
  service.circuit = 'closed';
  await vi.waitFor(async () => {
    await pass();
    expect(new Set(polls.map(({ reference }) => reference)).size).toBe(200);
  }, PATIENT);
});

test('an old payment whose service was away is polled again in a minute, and in hours once it has responded', async () => {
  let isAway = true;
  const { clock, polls, start, pass, url } = await reconcilerWith(1, async () => {
    if (isAway) throw notKnownYet('unreachable', 'away');
    return undefined;
  });
  await clock.jump(20 * 24 * HOUR);
  start();
  const pauseAfter = async (calls: number) => {
    await vi.waitFor(async () => {
      if (polls.length < calls) await pass();
      expect(polls.length).toBeGreaterThanOrEqual(calls);
    }, PATIENT);
    const [row] = await readRows<{ check_at: number }>(
      url,
      'select check_at from service_pay_payments',
    );
    return row!.check_at - polls.at(-1)!.at;
  };

  for (let calls = 1; calls <= 3; calls++)
    expect(await pauseAfter(calls)).toBeLessThanOrEqual(1.1 * MINUTE);
  isAway = false;
  await pauseAfter(4);

  await vi.waitFor(async () => expect(await pauseAfter(4)).toBeGreaterThan(1.5 * MINUTE), PATIENT);
});

test('a payment of 30 days is given up at its second response, not at its first (F5)', async () => {
  const { clock, polls, start, pass, url } = await reconcilerWith(1, async (reference) => ({
    ...FOUND,
    reference,
    status: 'pending',
  }));
  await clock.jump(31 * 24 * HOUR);
  start();
  const planAfter = async (calls: number) => {
    await vi.waitFor(async () => {
      if (polls.length < calls) await pass();
      expect(polls.length).toBeGreaterThanOrEqual(calls);
    }, PATIENT);
    await pass();
    const [row] = await readRows<{ check_at: number }>(
      url,
      'select check_at from service_pay_payments',
    );
    return row!.check_at;
  };

  expect(await planAfter(1)).toBeLessThan(NEVER);
  expect(await planAfter(2)).toBe(NEVER);
});

test('a service that names a time is called again then, not before (T103)', async () => {
  const { clock, polls, start, pass } = await reconcilerWith(1, async () => {
    throw notKnownYet('told_to_wait', 'wait', { retryAfterSeconds: 1_800 });
  });
  await clock.jump(5_000);
  start();
  await pass(2);
  expect(polls).toHaveLength(1);

  await pass(1_790);
  expect(polls).toHaveLength(1);
  await pass(15);

  expect(polls).toHaveLength(2);
});

test('a rejected token is tried once a second, and all is confirmed when it works again (T101)', async () => {
  let isRejected = true;
  const { clock, service, polls, start, pass, countIn } = await reconcilerWith(
    300,
    async (reference) => {
      if (isRejected) throw notKnownYet('token_refused', 'rejected');
      return { ...FOUND, reference };
    },
  );
  service.lastCall = 'token-refused';
  await clock.jump(5_000);
  start();
  await pass();
  const atFirst = polls.length;
  await pass(60);
  expect(polls.length - atFirst).toBeLessThanOrEqual(61);
  expect(polls.length - atFirst).toBeGreaterThanOrEqual(30);

  isRejected = false;
  service.lastCall = 'reachable';
  const mendedAt = clock.now();
  await vi.waitFor(async () => {
    await pass();
    expect(await countIn('paid')).toBe(300);
  }, PATIENT);

  expect(clock.now() - mendedAt).toBeLessThanOrEqual(2 * MINUTE);
});
