import fc from 'fast-check';
import { expect, test } from 'vitest';
import { PATIENT_DATABASE } from '../../test/patience.ts';
import { FulfilmentStore } from '../fulfilment/store.ts';
import { OPEN_STATES } from '../payments/decide.ts';
import { PaymentStore } from '../payments/store.ts';
import { makeDatabaseUrl, POSTGRES_IS_MISSING } from '../testing/databases.ts';
import { type Database, openDatabase } from './open.ts';

interface Stores {
  shop: PaymentStore;
  fulfilments: FulfilmentStore;
}

type Call = (stores: Stores, round: string, now: number) => Promise<unknown>;

const name = fc.constantFrom('r', 'R', '𝒓');
const order = {
  owner: 'b',
  data: {},
  amount: '10.00',
  currency: 'ZMW',
};
const plan = (ageMs: number) =>
  ageMs < 40 ? { claimMs: 3, pauseMs: 5 } : { claimMs: 9_000, pauseMs: 7 };

const call: fc.Arbitrary<{ says: string; call: Call }> = fc.oneof(
  name.map((at) => ({
    says: `place ${at}`,
    call: ({ shop }: Stores, round: string, now: number) =>
      shop.placeOrder({ ...order, id: round + at }, round + at, { checkAt: now + 5, now }),
  })),
  fc.tuple(name, name).map(([at, key]) => ({
    says: `place ${at} once by ${key}`,
    call: ({ shop }: Stores, round: string, now: number) =>
      shop.placeOrder(
        { ...order, id: `${round}${at}1` },
        `${round}${at}1`,
        { checkAt: now + 5, now },
        {
          key: round + key,
          requestHash: at,
        },
      ),
  })),
  fc.tuple(name, name).map(([at, more]) => ({
    says: `another payment ${more} of ${at}`,
    call: ({ shop }: Stores, round: string, now: number) =>
      shop.addPayment(round + at, { reference: `${round}${at}${more}2`, checkAt: now + 5, now }),
  })),
  name.map((at) => ({
    says: `paid ${at}`,
    call: ({ shop }: Stores, round: string, now: number) => shop.markPaid(round + at, now),
  })),
  fc.tuple(name, name).map(([at, more]) => ({
    says: `paid ${more} of ${at}`,
    call: ({ shop }: Stores, round: string, now: number) =>
      shop.markPaid(`${round}${at}${more}2`, now),
  })),
  fc
    .tuple(name, fc.constantFrom('failed' as const, 'expired' as const, 'needs-review' as const))
    .map(([at, to]) => ({
      says: `${at} ${to}`,
      call: ({ shop }: Stores, round: string, now: number) =>
        shop.move(round + at, OPEN_STATES, to, now, 'why'),
    })),
  name.map((at) => ({
    says: `accept ${at}`,
    call: ({ shop }: Stores, round: string, now: number) => shop.accept(round + at, now),
  })),
  fc.tuple(name, fc.string({ unit: 'binary', maxLength: 5 })).map(([at, event]) => ({
    says: `webhook of ${at} by ${JSON.stringify(event)}`,
    call: ({ shop }: Stores, round: string, now: number) =>
      shop.storeDelivery(
        {
          id: `${round}${Buffer.from(event).toString('hex')}`,
          event,
          reference: round + at,
          body: event.replaceAll('\u0000', ''),
          received_at: now,
        },
        now + 1,
      ),
  })),
  fc.constant({
    says: 'claim what is due',
    call: async ({ shop }: Stores, _round: string, now: number) =>
      (await shop.claimDue(now, 99, plan))
        .map(({ reference, ageMs, checkAt }) => `${reference} ${ageMs} ${checkAt}`)
        .sort(),
  }),
  fc.constant({
    says: 'hand over what is paid',
    call: async ({ fulfilments }: Stores, _round: string, now: number) => {
      const claimed = await fulfilments.claim({ owner: 'one', now, leaseMs: 60_000, limit: 99 });
      for (const held of claimed)
        await fulfilments.release(held, 'one', { state: 'done', done_at: 1 });
      return claimed
        .map(({ reference, attempts, leaseVersion }) => `${reference} ${attempts} ${leaseVersion}`)
        .sort();
    },
  }),
  name.map((at) => ({
    says: `read ${at}`,
    call: ({ shop }: Stores, round: string) => shop.findPayment(round + at),
  })),
);

function readAll({ db }: Database, round: string) {
  return Promise.all([
    db
      .selectFrom('service_pay_payments')
      .selectAll()
      .where('reference', 'like', `${round}%`)
      .orderBy('reference')
      .execute(),
    db
      .selectFrom('service_pay_webhook_deliveries')
      .selectAll()
      .where('id', 'like', `${round}%`)
      .orderBy('id')
      .execute(),
    db
      .selectFrom('service_pay_fulfilments')
      .select([
        'order_id',
        'reference',
        'state',
        'attempts',
        'due_at',
        'lease_version',
        'created_at',
      ])
      .where('order_id', 'like', `${round}%`)
      .orderBy('order_id')
      .execute(),
  ]);
}

test.skipIf(POSTGRES_IS_MISSING)(
  'both databases return the same for any calls, one after the other (T114)',
  async () => {
    const homes = [await makeDatabaseUrl('sqlite'), await makeDatabaseUrl('postgres')];
    const databases = [
      await openDatabase(homes[0]!.url, PATIENT_DATABASE),
      await openDatabase(homes[1]!.url, PATIENT_DATABASE),
    ];
    const stores = databases.map((database) => ({
      shop: new PaymentStore(database),
      fulfilments: new FulfilmentStore(database),
    }));
    const seen = new Map<string, number>();
    let now = 1_767_225_600_000;
    let rounds = 0;

    await fc.assert(
      fc.asyncProperty(fc.array(call, { minLength: 10, maxLength: 30 }), async (calls) => {
        const round = `${++rounds}-`;
        for (const { says, call } of calls) {
          now += 1;
          const [first, second] = await Promise.all(stores.map((one) => call(one, round, now)));
          expect(second, says).toEqual(first);
          const word = says.split(' ', 1)[0]!;
          if (first && (!Array.isArray(first) || first.length))
            seen.set(word, (seen.get(word) ?? 0) + 1);
        }
        const [file, server] = await Promise.all(
          databases.map((database) => readAll(database, round)),
        );
        expect(server, calls.map(({ says }) => says).join(', ')).toEqual(file);
        now += 100; // the next round gives up the rest of this one
        await Promise.all(stores.map(({ shop }) => shop.claimDue(now, 999, plan)));
      }),
      { numRuns: process.env.DRAW_ANEW ? 60 : 25, includeErrorInReport: true },
    );

    expect([...seen.keys()]).toEqual(
      expect.arrayContaining(['place', 'paid', 'webhook', 'claim', 'hand', 'read']),
    );
    await Promise.all(databases.map((database) => database.close()));
    await Promise.all(homes.map((home) => home.drop()));
  },
);
