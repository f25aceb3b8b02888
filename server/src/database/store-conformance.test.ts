import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { PATIENT_DATABASE } from '../../test/patience.ts';
import { FulfilmentStore } from '../fulfilment/store.ts';
import { MAY_BECOME_PAID } from '../payments/decide.ts';
import type { Payment } from '../payments/payment.ts';
import { PollPlan } from '../payments/poll-plan.ts';
import { PaymentStore } from '../payments/store.ts';
import {
  DATABASES,
  makeDatabaseUrl,
  POSTGRES_IS_MISSING,
  readRows,
  type TestDatabase,
} from '../testing/databases.ts';
import { type Database, openDatabase } from './open.ts';

const AT_ONCE = 20;
const ORDER = {
  owner: 'b',
  data: {},
  amount: '10.00',
  currency: 'ZMW',
};
const LATE = 1_767_225_600_123;

let testDatabase: TestDatabase;
let databases: Database[];
let store: PaymentStore;
let other: PaymentStore;
let polls: [PollPlan, PollPlan];
let fulfilments: FulfilmentStore;
let others: FulfilmentStore;

const place = (reference: string, checkAt = 5, now = 1) =>
  store.placeOrder({ ...ORDER, id: `order of ${reference}` }, reference, { checkAt, now });
const delivery = (id: string, reference: string | null) => ({
  id,
  event: 'collection.successful',
  reference,
  body: '{}',
  received_at: 7,
});
const rows = <Row>(statement: string, ...parameters: unknown[]) =>
  readRows<Row>(testDatabase.url, statement, parameters);
const count = async (table: string) =>
  (await rows<{ n: number }>(`select count(*) as n from ${table}`))[0]!.n;
const both = <Result>(run: (store: PaymentStore, at: number) => Promise<Result>) =>
  Promise.all(Array.from({ length: AT_ONCE }, (_, at) => run(at % 2 ? store : other, at)));

if (POSTGRES_IS_MISSING) test.skip(POSTGRES_IS_MISSING, () => {});

describe.each(DATABASES)('the stores on %s', (kind) => {
  beforeEach(async () => {
    testDatabase = await makeDatabaseUrl(kind);
    databases = [
      await openDatabase(testDatabase.url, PATIENT_DATABASE),
      await openDatabase(testDatabase.url, PATIENT_DATABASE),
    ];
    [store, other] = databases.map((database) => new PaymentStore(database)) as [
      PaymentStore,
      PaymentStore,
    ];
    polls = databases.map((database) => new PollPlan(database)) as [PollPlan, PollPlan];
    [fulfilments, others] = databases.map((database) => new FulfilmentStore(database)) as [
      FulfilmentStore,
      FulfilmentStore,
    ];
  });

  afterEach(async () => {
    await Promise.all(databases.map((database) => database.close()));
    await testDatabase.drop();
  });

  test('the stores give money, times, names and references back as they were put (T114)', async () => {
    const data = [
      { sku: 's', name: 'Miel "à l’ancienne" 🍯', quantity: 2, price: '5.00' },
      '\u0000Zoë',
    ];
    await store.placeOrder({ ...ORDER, id: 'o1', data }, 'ref', { checkAt: 5, now: LATE });
    await place('REF', 5, 2);

    expect(await store.findPayment('ref')).toEqual({
      reference: 'ref',
      orderId: 'o1',
      owner: 'b',
      data,
      amount: '10.00',
      currency: 'ZMW',
      state: 'awaiting-payment',
      reason: null,
      createdAt: LATE,
      movedAt: LATE,
      paidAt: null,
      paidWith: null,
    });
    expect(await store.findPayment('REF')).toMatchObject({ createdAt: 2 });
    expect(await store.findPayment('Ref')).toBeUndefined();
    expect(await other.findPayment('ref')).toMatchObject({ data });
  });

  test('the stores list the newest first, whatever their names (T114)', async () => {
    for (const [at, reference] of ['b', 'B', 'a', 'é', '_'].entries())
      await place(reference, 5, at === 0 ? LATE : at);

    expect(
      (await store.findPaymentsIn('awaiting-payment', 4)).map(({ reference }) => reference),
    ).toEqual(['b', '_', 'é', 'a']);
  });

  test('the stores list a payment added by an instance whose clock is behind as the newest of its order', async () => {
    await place('first', 5, 10);
    await store.move('first', { from: ['awaiting-payment'], to: 'failed', now: 10 });

    await other.addPayment('order of first', { reference: 'again', checkAt: 13, now: 8 });

    const payments = await store.findPaymentsOfOrder('order of first');
    expect(payments.map(({ reference }) => reference)).toEqual(['first', 'again']);
  });

  test('the stores keep one order for one key of one browser, requested 20 times at once (T67)', async () => {
    const once = { key: 'k', requestHash: 'h' };
    const results = await both((one, at) =>
      one.placeOrder({ ...ORDER, id: `o${at}` }, `r${at}`, { checkAt: 5, now: 1 }, once),
    );

    expect(new Set(results).size).toBe(1);
    expect(await count('service_pay_payments')).toBe(1);
    expect(
      await store.placeOrder(
        { ...ORDER, id: 'p' },
        'p',
        { checkAt: 5, now: 1 },
        { ...once, requestHash: 'another' },
      ),
    ).toBeUndefined();
    expect(
      await store.placeOrder({ ...ORDER, id: 'q', owner: 'c' }, 'q', { checkAt: 5, now: 1 }, once),
    ).toBe('q');
  });

  test('the stores move one payment that 20 confirm at once a single time, with one fulfilment (T107)', async () => {
    await place('r');

    const moved = await both((one) => one.markPaid('r', 9));

    expect(moved.filter(Boolean)).toEqual(['paid']);
    expect(await rows('select order_id, reference, state from service_pay_fulfilments')).toEqual([
      { order_id: 'order of r', reference: 'r', state: 'waiting' },
    ]);
  });

  test('the stores take one of several payments of an order that are paid at once, and set the others aside (T107)', async () => {
    await place('r0');
    for (let at = 1; at < AT_ONCE; at++)
      await store.addPayment('order of r0', { reference: `r${at}`, checkAt: 5, now: 1 });

    const moved = await both((one, at) => one.markPaid(`r${at}`, 9));

    expect(moved.filter((state) => state === 'paid')).toHaveLength(1);
    expect(moved.filter((state) => state === 'needs-review')).toHaveLength(AT_ONCE - 1);
    const [paid] = await rows("select reference from service_pay_payments where state = 'paid'");
    expect(await rows('select reference from service_pay_fulfilments')).toEqual([paid]);
    expect(
      await rows(
        `select distinct review_reason from service_pay_payments where state = 'needs-review'`,
      ),
    ).toEqual([{ review_reason: 'order already paid' }]);
  });

  test('the stores add one further payment of an order, however many request it at once (T115)', async () => {
    await place('r');
    await store.move('r', { from: ['awaiting-payment'], to: 'failed', now: 2 });

    const isOpen = ({ state }: Payment) => state === 'awaiting-payment';
    const added = await both((one, at) =>
      one.addPayment('order of r', { reference: `again-${at}`, checkAt: 9, now: 4 }, isOpen),
    );

    const [, again] = await store.findPaymentsOfOrder('order of r');
    expect(added).toEqual(Array(AT_ONCE).fill(again));
    expect(await rows('select reference from service_pay_payments')).toHaveLength(2);
  });

  test('the stores pay whatever comes together, some twice and some for one order, once for each order (T107)', async () => {
    let runs = 0;
    const payment = fc.record({ order: fc.nat(4), payment: fc.nat(2), isOther: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(fc.array(payment, { minLength: 1, maxLength: 24 }), async (marks) => {
        const run = `run ${runs++}, `;
        const nameOf = (one: { order: number; payment: number }) =>
          `${run}order ${one.order}, payment ${one.payment}`;
        for (let order = 0; order <= 4; order++) {
          await place(nameOf({ order, payment: 0 }));
          for (const payment of [1, 2])
            await store.addPayment(`order of ${nameOf({ order, payment: 0 })}`, {
              reference: nameOf({ order, payment }),
              checkAt: 5,
              now: 1,
            });
        }

        const states = await Promise.all(
          marks.map((one) => (one.isOther ? other : store).markPaid(nameOf(one), 9)),
        );

        for (const order of new Set(marks.map((one) => one.order))) {
          const moved = marks.flatMap((one, at) =>
            one.order === order && states[at]
              ? [{ reference: nameOf(one), state: states[at] }]
              : [],
          );
          const references = new Set(marks.filter((one) => one.order === order).map(nameOf));
          const paid = moved
            .filter(({ state }) => state === 'paid')
            .map(({ reference }) => reference);
          const id = `order of ${nameOf({ order, payment: 0 })}`;
          // each moves ...
          expect(new Set(moved.map(({ reference }) => reference))).toEqual(references);
          expect(moved).toHaveLength(references.size); // ... once
          expect(paid).toHaveLength(1);
          expect(
            await rows('select reference from service_pay_fulfilments where order_id = ?', id),
          ).toEqual(paid.map((reference) => ({ reference })));
          for (const { reference, state } of moved)
            expect(await store.findPayment(reference)).toMatchObject({ state });
        }
      }),
      { numRuns: 10, includeErrorInReport: true },
    );
  });

  test('the stores move forward only, whoever is first: paid against failed, refused and expired at once (T107)', async () => {
    for (let round = 0; round < 5; round++) {
      await place(`r${round}`);
      const [paid] = await Promise.all([
        store.markPaid(`r${round}`, 9),
        other.move(`r${round}`, { from: ['awaiting-payment'], to: 'failed', now: 9 }),
        other.move(`r${round}`, {
          from: MAY_BECOME_PAID,
          to: 'needs-review',
          now: 9,
          reason: 'amount differs',
        }),
        store.move(`r${round}`, { from: ['awaiting-payment'], to: 'expired', now: 9 }),
      ]);
      const state = (await store.findPayment(`r${round}`))!.state;
      expect(state).toBe(paid ?? 'needs-review');
      expect(
        await rows('select 1 from service_pay_fulfilments where reference = ?', `r${round}`),
      ).toHaveLength(state === 'paid' ? 1 : 0);
    }
  });

  test("the stores write a person's decision down once (D51)", async () => {
    await place('yes');
    await place('no');
    for (const reference of ['yes', 'no'])
      expect(
        await store.move(reference, {
          from: MAY_BECOME_PAID,
          to: 'needs-review',
          now: 9,
          reason: 'amount differs',
        }),
      ).toBe(true);

    expect(
      (await both((one) => one.accept({ reference: 'yes', who: 'ann', now: 10 }))).filter(Boolean),
    ).toEqual([true]);
    expect(
      (
        await both((one) => one.move('no', { from: ['needs-review'], to: 'refused', now: 10 }))
      ).filter(Boolean),
    ).toEqual([true]);
    expect(await store.findPayment('yes')).toMatchObject({
      state: 'paid',
      reason: 'amount differs',
    });
    expect(await store.markPaid('no', 11)).toBeUndefined();
    expect(await rows('select reference from service_pay_fulfilments')).toEqual([
      { reference: 'yes' },
    ]);
  });

  test('the stores keep a delivery once, whoever sends it how often, and make its payment due (T84, T85)', async () => {
    await place('r', 60_000);

    const stored = await both((one, at) => one.storeDelivery(delivery(`d${at % 4}`, 'r'), 5_000));

    expect(stored.filter(Boolean)).toHaveLength(4);
    expect(await count('service_pay_webhook_deliveries')).toBe(4);
    expect(await rows('select check_at from service_pay_payments')).toEqual([{ check_at: 5_000 }]);
  });

  test('the stores keep a delivery whose event is no text that they store, with marks in its place (T114)', async () => {
    const odd = { ...delivery('odd', null), event: 'a\u0000b\ud800c' };

    expect(await store.storeDelivery(odd, 5_000)).toBe(true);
    expect(await rows('select event from service_pay_webhook_deliveries')).toEqual([
      { event: 'a\ufffdb\ufffdc' },
    ]);
  });

  test('the stores know which deliveries are handled: with the move of their payment, or where there is nothing to do', async () => {
    for (const reference of ['paid', 'open', 'handled']) await place(reference);
    for (const reference of ['paid', 'open', 'handled', 'unknown', null])
      await store.storeDelivery(delivery(`of ${reference}`, reference), 5);
    await store.markPaid('paid', 9);
    await store.storeDelivery(delivery('late', 'paid'), 5);
    await store.handleDeliveries('handled', 10);

    expect(
      await rows(
        'select id from service_pay_webhook_deliveries where handled_at is null order by id',
      ),
    ).toEqual([{ id: 'of open' }, { id: 'of unknown' }]);
  });

  test('the stores give no due payment to two that claim at once, the longest due first', async () => {
    for (let at = 0; at < 40; at++) await place(`r${at}`, 100 - at, 1);
    const plan = () => ({ claimMs: 1_000, pauseMs: 10_000 });
    expect(
      (await polls[0].claimDue({ now: 100, limit: 2, plan }))
        .map(({ reference }) => reference)
        .sort(),
    ).toEqual(['r38', 'r39']);

    const claimed = (
      await Promise.all(
        [0, 1, 2, 3, 4, 5].map((at) => polls[at % 2]!.claimDue({ now: 100, limit: 20, plan })),
      )
    ).flat();

    expect(new Set(claimed.map(({ reference }) => reference)).size).toBe(claimed.length);
    const left = await polls[0].claimDue({ now: 100, limit: 40, plan });
    expect(claimed.length + left.length).toBe(38);
    expect(left[0] ?? claimed[0]).toMatchObject({ checkAt: 1_100, pauseMs: 10_000, ageMs: 99 });
    await polls[0].claimDue({ now: 1_100, limit: 99, plan });
    await polls[0].planPoll('r1', { claimedUntil: 2_100, checkAt: Number.MAX_SAFE_INTEGER });
    const again = await polls[0].claimDue({ now: 2_100, limit: 99, plan });
    expect(again.map(({ reference }) => reference)).not.toContain('r1');
    expect(again).toHaveLength(39);
    await polls[0].planPoll('r0', { claimedUntil: 1_100, checkAt: 7 });
    expect(await rows('select check_at from service_pay_payments where check_at = 7')).toEqual([]);
  });

  test('a poll of the stores does not postpone a payment whose webhook came during its claim, however late (T103)', async () => {
    await place('r', 100, 1);
    await polls[0].claimDue({
      now: 100,
      limit: 1,
      plan: () => ({ claimMs: 60_000, pauseMs: 60_000 }),
    });

    await store.storeDelivery({ ...delivery('news', 'r'), received_at: 58_000 }, 63_000);
    await polls[0].planPoll('r', { claimedUntil: 60_100, checkAt: 9_000_000 });

    expect(await rows('select check_at, check_pause_ms from service_pay_payments')).toEqual([
      { check_at: 60_099, check_pause_ms: 5_000 },
    ]);
  });

  test('the stores make a payment due soon by the same delivery again', async () => {
    const again = (received_at: number) =>
      store.storeDelivery({ ...delivery('news', 'r'), received_at }, received_at + 5_000);
    const plans = () => rows('select check_at, check_pause_ms from service_pay_payments');
    await place('r', 100, 1);
    await again(7);
    await polls[0].claimDue({
      now: 5_000,
      limit: 1,
      plan: () => ({ claimMs: 900_000, pauseMs: 60_000 }),
    });

    expect(await again(10_000)).toBe(false);
    expect(await plans()).toEqual([{ check_at: 15_000, check_pause_ms: 5_000 }]);
  });

  test('the stores hand no fulfilment to two that claim at once, and reject the write of one who was taken over (T111)', async () => {
    for (let at = 0; at < 30; at++) {
      await place(`r${at}`);
      await store.markPaid(`r${at}`, 9);
    }
    const claims = [0, 1, 2, 3, 4, 5].map((at) =>
      (at % 2 ? fulfilments : others).claim({
        owner: `owner ${at}`,
        now: 10,
        leaseMs: 60_000,
        limit: 10,
      }),
    );
    const claimed = (await Promise.all(claims)).flat();
    const left = await fulfilments.claim({ owner: 'last', now: 10, leaseMs: 60_000, limit: 40 });
    expect(new Set([...claimed, ...left].map(({ reference }) => reference)).size).toBe(30);
    expect(claimed.length + left.length).toBe(30);

    await store.placeOrder({ ...ORDER, id: 'z' }, 'z', { checkAt: 5, now: 1 });
    await store.markPaid('z', 9);
    const [first] = await fulfilments.claim({ owner: 'first', now: 10, leaseMs: 0, limit: 1 });
    const [second] = await others.claim({ owner: 'second', now: 10, leaseMs: 60_000, limit: 1 });

    expect([first?.leaseVersion, second?.leaseVersion, second?.attempts]).toEqual([1, 2, 2]);
    expect(await fulfilments.renew([first!], { owner: 'first', now: 10, leaseMs: 60_000 })).toEqual(
      new Set(),
    );
    expect(await fulfilments.release(first!, 'first', { state: 'done', done_at: 1 })).toBe(false);
    expect(await fulfilments.release(second!, 'first', { state: 'done', done_at: 1 })).toBe(false);
    expect(await others.renew([second!], { owner: 'second', now: 10, leaseMs: 60_000 })).toEqual(
      new Set(['z']),
    );
    expect(await others.release(second!, 'second', { state: 'done', done_at: 1 })).toBe(true);
  });

  test('the stores give a fulfilment that waits or is parked back to the start when a person redrives it', async () => {
    await place('r');
    await store.markPaid('r', 9);
    const [held] = await fulfilments.claim({ owner: 'one', now: 10, leaseMs: 60_000, limit: 1 });
    expect(await fulfilments.release(held!, 'one', { due_at: 50 })).toBe(true);
    expect(await fulfilments.claim({ owner: 'one', now: 49, leaseMs: 60_000, limit: 1 })).toEqual(
      [],
    );
    expect(await fulfilments.redrive({ reference: 'r', who: 'ann', now: 49 })).toBe(true);
    const [early] = await fulfilments.claim({ owner: 'one', now: 49, leaseMs: 60_000, limit: 1 });
    expect(early).toMatchObject({ reference: 'r', attempts: 1 });
    expect(await fulfilments.redrive({ reference: 'r', who: 'ann', now: 49 })).toBe(false); // its holder calls fulfil right now
    expect(await fulfilments.release(early!, 'one', { due_at: 50 })).toBe(true);
    const [again] = await fulfilments.claim({ owner: 'one', now: 50, leaseMs: 60_000, limit: 1 });
    for (const time of ['first', 'repeated'])
      expect(await fulfilments.release(again!, 'one', { state: 'parked' }), time).toBe(true);

    expect(await fulfilments.redrive({ reference: 'unknown', who: 'ann', now: 60 })).toBe(false);
    expect(await fulfilments.redrive({ reference: 'r', who: 'ann', now: 60 })).toBe(true);
    expect(await fulfilments.redrive({ reference: 'r', who: 'ann', now: 60 })).toBe(false);
    // one that parked it and did not learn so does not park it again (T113)
    expect(await fulfilments.release(again!, 'one', { state: 'parked' })).toBe(false);
    expect(
      await fulfilments.claim({ owner: 'one', now: 60, leaseMs: 60_000, limit: 1 }),
    ).toMatchObject([{ reference: 'r', attempts: 1 }]);
  });

  test('the stores keep why the last call of fulfil failed, and when one succeeded', async () => {
    await place('r');
    await store.markPaid('r', 9);
    const claim = async (now: number) =>
      (await fulfilments.claim({ owner: 'one', now, leaseMs: 60_000, limit: 1 }))[0]!;
    const read = () => rows('select state, last_error, done_at from service_pay_fulfilments');

    expect(await read()).toEqual([{ state: 'waiting', last_error: null, done_at: null }]);
    await fulfilments.release(await claim(10), 'one', {
      due_at: 20,
      last_error: 'Error: The shelf is empty.',
    });
    await fulfilments.release(await claim(20), 'one', { due_at: 30 });
    expect(await read()).toMatchObject([{ last_error: 'Error: The shelf is empty.' }]);
    await fulfilments.release(await claim(30), 'one', {
      state: 'parked',
      last_error: 'Error: The shelf is gone.',
    });
    await fulfilments.redrive({ reference: 'r', who: 'ann', now: 40 });
    await fulfilments.release(await claim(40), 'one', { state: 'done', done_at: 41 });

    expect(await read()).toEqual([
      { state: 'done', last_error: 'Error: The shelf is gone.', done_at: 41 },
    ]);
  });

  test('the stores let one of many poll a payment in the time that must lie between (D59)', async () => {
    const claims = (
      await both((_, at) => polls[at % 2]!.claimTurn('r', { everyMs: 2_000, now: LATE }))
    ).filter(Boolean);

    // A file is for one machine, whose process keeps to it by itself.
    expect(claims).toHaveLength(kind === 'postgres' ? 1 : AT_ONCE);
    expect(await polls[0].claimTurn('other', { everyMs: 2_000, now: LATE })).toBe(true);
    expect(await polls[1].claimTurn('r', { everyMs: 2_000, now: LATE + 1_999 })).toBe(
      kind === 'sqlite',
    );
    expect(await polls[1].claimTurn('r', { everyMs: 2_000, now: LATE + 2_000 })).toBe(true);
    // The clocks of two instances agree to some milliseconds; one that was set back is waited for
    // by nobody.
    expect(await polls[0].claimTurn('r', { everyMs: 2_000, now: LATE + 1_995 })).toBe(
      kind === 'sqlite',
    );
    expect(await polls[0].claimTurn('r', { everyMs: 2_000, now: LATE - 1 })).toBe(true);
  });
});
