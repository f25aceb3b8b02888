import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type Database, openDatabase } from '../database/open.ts';
import { notKnownYet } from '../errors.ts';
import { buildLog } from '../observe/log.ts';
import { Metrics } from '../observe/metrics.ts';
import type { VerifiedCollection } from '../service/client.ts';
import { FOLDER_OF_DATABASES } from '../testing/databases.ts';
import { ManualClock } from '../testing/manual-clock.ts';
import { buildConfirm, type Confirm } from './confirm.ts';
import { confirmOrder } from './order-state.ts';
import { PaymentFeed } from './payment-feed.ts';
import { PollPlan } from './poll-plan.ts';
import { ServiceResponses } from './service-responses.ts';
import { PaymentStore } from './store.ts';

const DAY_MS = 24 * 60 * 60_000;
const FOUND: VerifiedCollection = {
  reference: 'ref',
  status: 'successful',
  amount: '10.00',
  currency: 'ZMW',
  reasonForFailure: null,
};

let folder: string;
let database: Database;
let store: PaymentStore;
let polls: PollPlan;
let orders = 0;

beforeAll(async () => {
  folder = await mkdtemp(join(FOLDER_OF_DATABASES, 'confirm-'));
  database = await openDatabase(`file:${join(folder, 'shop.db')}`);
  store = new PaymentStore(database);
  polls = new PollPlan(database);
});

afterAll(async () => {
  await database.close();
  await rm(folder, { recursive: true });
});

function setUp(verify: (reference: string) => Promise<VerifiedCollection | undefined>) {
  const clock = new ManualClock();
  const lines: string[] = [];
  const calls: string[] = [];
  const log = buildLog(
    {
      logLevel: 'debug',
      apiToken: 'sec_sandbox_demo',
      previousApiToken: undefined,
      sessionSecret: 'x'.repeat(32),
    },
    { write: (line) => void lines.push(line) },
  );
  const service = {
    circuit: 'closed' as const,
    lastCall: 'unknown' as const,
    verify: (reference: string) => {
      calls.push(reference);
      return verify(reference);
    },
    close: async () => {},
  };
  const confirm: Confirm = buildConfirm({
    store,
    polls,
    service,
    feed: new PaymentFeed(),
    metrics: new Metrics(),
    clock,
    log,
  });
  return { confirm, clock, calls, lines };
}

async function placeOrder(clock: ManualClock, references: readonly string[]): Promise<void> {
  const [first, ...more] = references;
  const id = `order-${++orders}`;
  const order = {
    id,
    owner: 'browser',
    data: {},
    amount: '10.00',
    currency: 'ZMW',
  };
  await store.placeOrder(order, first!, { checkAt: clock.now() + 5_000, now: clock.now() });
  for (const reference of more)
    await store.addPayment(id, { reference, checkAt: clock.now() + 5_000, now: clock.now() });
}

async function fulfilmentsOf(references: readonly string[]): Promise<number> {
  return (
    await database.db
      .selectFrom('service_pay_fulfilments')
      .select('order_id')
      .where('reference', 'in', references)
      .execute()
  ).length;
}

describe('confirm', () => {
  test('confirm moves a payment once, whoever confirms it and however often (T107)', async () => {
    const { confirm, clock, calls } = setUp(async (reference) => ({ ...FOUND, reference }));
    await placeOrder(clock, ['many']);

    await Promise.all(Array.from({ length: 20 }, () => confirm('many', 'page')));
    const payment = await confirm('many', 'success');

    expect(payment?.state).toBe('paid');
    expect(calls).toEqual(['many']);
    expect(await fulfilmentsOf(['many'])).toBe(1);
  });

  test('confirm calls the service once in 2 s: a page gets what is known, news waits for the next call (D59, T75)', async () => {
    let status = 'pending';
    const { confirm, clock, calls } = setUp(async (reference) => ({ ...FOUND, reference, status }));
    await placeOrder(clock, ['news']);
    await confirm('news', 'success');
    status = 'successful';

    const page = await confirm('news', 'page');
    const news = Promise.all([confirm('news', 'webhook'), confirm('news', 'success')]);
    await clock.advance(1_999);
    const callsBefore = calls.length;
    await clock.advance(1);

    expect(page?.state).toBe('awaiting-payment');
    expect(callsBefore).toBe(1);
    expect((await news).map((payment) => payment?.state)).toEqual(['paid', 'paid']);
    expect(calls).toHaveLength(2);
  });

  test('news that comes while a call is out does not wait longer than that call, where it says paid', async () => {
    const { promise, resolve } = Promise.withResolvers<VerifiedCollection>();
    const { confirm, clock, calls } = setUp(() => promise);
    await placeOrder(clock, ['overlap']);

    const webhook = confirm('overlap', 'webhook');
    const success = confirm('overlap', 'success');
    await clock.advance(0);
    resolve({ ...FOUND, reference: 'overlap' });

    expect((await Promise.all([webhook, success])).map((payment) => payment?.state)).toEqual([
      'paid',
      'paid',
    ]);
    expect(calls).toHaveLength(1);
  });

  test('news does not wait longer than two seconds for a call that hangs (D59)', async () => {
    let callsMade = 0;
    const { confirm, clock, calls } = setUp(async (reference) => {
      callsMade += 1;
      return callsMade === 1 ? new Promise(() => {}) : { ...FOUND, reference };
    });
    await placeOrder(clock, ['hangs']);

    void confirm('hangs', 'webhook');
    const success = confirm('hangs', 'success');
    await clock.advance(1_999);
    const callsBefore = calls.length;
    await clock.advance(1);

    expect((await success)?.state).toBe('paid');
    expect([callsBefore, calls.length]).toEqual([1, 2]);
  });

  test('what cannot be verified is neither failed nor paid, and a rejected token raises one alert a minute (D52, D53, T101)', async () => {
    const { confirm, clock, calls, lines } = setUp(async () => {
      throw notKnownYet('token_refused', 'rejected');
    });
    await placeOrder(clock, ['unverified']);

    for (let at = 0; at < 15; at++) {
      await expect(confirm('unverified', 'success')).rejects.toMatchObject({
        reason: 'token_refused',
      });
      await clock.advance(2_000);
    }

    expect(calls).toHaveLength(15);
    expect((await store.findPayment('unverified'))?.state).toBe('awaiting-payment');
    expect(lines.filter((line) => line.includes('"level":50'))).toHaveLength(1);
  });

  test.each([
    ['Not enough funds', 'Not enough funds'],
    [' Declined\u0000\n by\u202e card 4242424242424242 ', 'Declined by card [digits]'],
    ['y'.repeat(300), 'y'.repeat(200)],
    [' ', null],
    [null, null],
  ])(
    'a failure keeps its reason %j in one short line, until the money arrives late',
    async (given, reason) => {
      let status = 'failed';
      const { confirm, clock } = setUp(async (reference) => ({
        ...FOUND,
        ...{ reference, status, reasonForFailure: given },
      }));
      const reference = randomUUID();
      await placeOrder(clock, [reference]);

      const failed = await confirm(reference, 'webhook');
      status = 'successful';
      await clock.advance(2_000);
      const paid = await confirm(reference, 'webhook');

      expect([failed, paid].map((payment) => [payment?.state, payment?.reason])).toEqual([
        ['failed', reason],
        ['paid', null],
      ]);
    },
  );

  test('who read a payment before it moved hears so at once, and waits for no second call', async () => {
    const { confirm, clock, calls } = setUp(async (reference) => ({ ...FOUND, reference }));
    await placeOrder(clock, ['stale']);
    const before = await store.findPayment('stale');
    await confirm('stale', 'webhook');
    vi.spyOn(store, 'findPayment').mockResolvedValueOnce(before);

    expect((await confirm('stale', 'success'))?.state).toBe('paid');
    expect(calls).toHaveLength(1);
  });

  test('nobody waits for a turn to verify once another instance has moved the payment (D59)', async () => {
    const { confirm, clock, calls } = setUp(async (reference) => ({ ...FOUND, reference }));
    await placeOrder(clock, ['moved']);
    vi.spyOn(polls, 'claimTurn').mockResolvedValueOnce(false);
    const confirming = confirm('moved', 'success');
    await store.markPaid('moved', clock.now());
    await clock.advance(250);

    expect((await confirming)?.state).toBe('paid');
    expect(calls).toEqual([]);
  });

  test('a due payment is verified even if a call of a page was skipped because another instance was verifying (T107)', async () => {
    const { confirm, clock, calls } = setUp(async () => undefined);
    await placeOrder(clock, ['elsewhere']);
    vi.spyOn(polls, 'claimTurn').mockResolvedValueOnce(false);
    await confirm('elsewhere', 'page');

    const due = confirm('elsewhere', 'due');
    let callsWhenItEnded: number | undefined;
    void due.then(() => {
      callsWhenItEnded = calls.length;
    });
    await clock.advance(2_000);
    await due;

    expect(callsWhenItEnded).toBe(1);
  });

  test('a due payment is verified even if this process saw it paid, because a database that took over may have lost that', async () => {
    const { confirm, clock, calls } = setUp(async (reference) => ({ ...FOUND, reference }));
    await placeOrder(clock, ['lost']);
    await confirm('lost', 'success');
    await database.db
      .deleteFrom('service_pay_fulfilments')
      .where('reference', '=', 'lost')
      .execute();
    await database.db
      .updateTable('service_pay_payments')
      .set({ state: 'awaiting-payment' })
      .where('reference', '=', 'lost')
      .execute();
    await clock.advance(2_000);

    expect((await confirm('lost', 'due'))?.state).toBe('paid');

    expect(calls).toHaveLength(2);
    expect(await fulfilmentsOf(['lost'])).toBe(1);
  });

  test('a page’s call leaves a webhook to the confirm that it triggered, though the service has nothing new (T85)', async () => {
    const { confirm, clock } = setUp(async (reference) => ({
      ...FOUND,
      reference,
      status: 'failed',
    }));
    await placeOrder(clock, ['reported']);
    await confirm('reported', 'success');
    const delivery = {
      id: 'news',
      event: 'collection.failed',
      reference: 'reported',
      body: '{}',
      received_at: clock.now(),
    };
    await store.storeDelivery(delivery, clock.now() + 5_000);
    const isHandled = async () => {
      const row = await database.db
        .selectFrom('service_pay_webhook_deliveries')
        .select('handled_at')
        .where('id', '=', 'news')
        .executeTakeFirst();
      return row?.handled_at !== null;
    };

    await clock.advance(2_000);
    await confirm('reported', 'page');
    const afterPage = await isHandled();
    await clock.advance(2_000);
    await confirm('reported', 'webhook');

    expect([afterPage, await isHandled()]).toEqual([false, true]);
  });

  test('confirm leaves a payment open that its customer opens again while the service is verifying it (D61)', async () => {
    const response = Promise.withResolvers<undefined>();
    const { confirm, clock } = setUp(() => response.promise);
    await placeOrder(clock, ['reopened']);
    await clock.advance(DAY_MS);

    const confirming = confirm('reopened', 'due');
    await clock.advance(1);
    await store.reopen((await store.findPayment('reopened'))!, {
      checkAt: clock.now(),
      now: clock.now(),
    });
    response.resolve(undefined);

    expect((await confirming)?.state).toBe('awaiting-payment');
    expect((await store.findPayment('reopened'))?.state).toBe('awaiting-payment');
  });

  test('a payment that has just ended is not opened again', async () => {
    const { clock } = setUp(async () => undefined);
    await placeOrder(clock, ['ended']);
    const before = (await store.findPayment('ended'))!;
    await store.markPaid('ended', clock.now());
    await store.reopen(before, { checkAt: clock.now(), now: clock.now() });

    expect((await store.findPayment('ended'))?.state).toBe('paid');
  });

  test('a second paid payment of an order needs review and hands nothing over again (D51)', async () => {
    const { confirm, clock, lines } = setUp(async (reference) => ({ ...FOUND, reference }));
    await placeOrder(clock, ['one', 'two']);

    await confirm('one', 'webhook');
    await confirm('two', 'webhook');

    expect((await store.findPayment('one'))?.state).toBe('paid');
    expect(await store.findPayment('two')).toMatchObject({
      state: 'needs-review',
      reason: 'order already paid',
    });
    expect(await fulfilmentsOf(['one', 'two'])).toBe(1);
    expect(lines.filter((line) => line.includes('"level":50'))).toHaveLength(1);
  });

  test('an order is shown as paid if another payment paid it while the service was verifying it (D51)', async () => {
    const { confirm, clock } = setUp(async (reference) => {
      await store.addPayment('order', {
        reference: 'meanwhile',
        checkAt: clock.now(),
        now: clock.now(),
      });
      await store.markPaid('meanwhile', clock.now());
      return { ...FOUND, reference };
    });
    const order = { id: 'order', owner: 'browser', data: {}, amount: '10.00', currency: 'ZMW' };
    await store.placeOrder(order, 'first', { checkAt: clock.now() + 5_000, now: clock.now() });
    const [first] = await store.findSiblings('first');
    const [responses, feed] = [new ServiceResponses(), new PaymentFeed()];

    const { shown } = await confirmOrder(first!, [first!], {
      store,
      confirm,
      responses,
      feed,
      clock,
    });

    expect(shown).toMatchObject({ reference: 'meanwhile', status: 'successful' });
  });
});
