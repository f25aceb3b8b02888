import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Scenarios } from '../faults/scenarios.ts';
import { History } from '../history/history.ts';
import { Merchants } from '../payments/merchants.ts';
import { PaymentFlow } from '../payments/payment-flow.ts';
import { placeCollection } from '../payments/seed-collection.ts';
import { CollectionStore } from '../payments/store.ts';
import { pay } from '../test/client.ts';
import { Clock } from '../time/clock.ts';
import { packSession, unpackSession } from './session-record.ts';

const PHONES = ['0971111111', '0962222222', '0960000000', '0969999999'];
const CARDS = ['4242424242424242', '4000000000000002', '4000000000003220', '4000000000000077'];

function buildService() {
  const clock = new Clock('virtual');
  const store = new CollectionStore();
  const merchants = new Merchants(null);
  const history = new History({ clock });
  const scenarios = new Scenarios({ clock, history });
  const flow = new PaymentFlow({
    clock,
    store,
    merchants,
    history,
    scenarios,
    notify: () => undefined,
  });
  return { clock, store, merchants, flow };
}

test('a session comes back as it was, whatever its life', async () => {
  const step = fc.oneof(
    fc.record({ do: fc.constant('phone'), number: fc.constantFrom(...PHONES) }),
    fc.record({ do: fc.constant('card'), number: fc.constantFrom(...CARDS) }),
    fc.record({ do: fc.constant('open again'), isStranger: fc.boolean() }),
    fc.record({ do: fc.constant('wait'), seconds: fc.constantFrom(1, 3, 25, 1_000) }),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 8 }),
      fc.constantFrom('ZMW', 'EUR'),
      fc.string(),
      async (steps, currency, label) => {
        const { clock, store, flow } = buildService();
        const request = {
          key: 'pub_sandbox_demo',
          email: 'a@b.example',
          reference: 'order-1',
          amount: '10.00',
          currency,
          label,
        };
        let { token, visit } = flow.open(request, undefined);
        for (const taken of steps) {
          try {
            if ('isStranger' in taken)
              ({ token, visit } = flow.open(request, taken.isStranger ? undefined : token));
            else if ('seconds' in taken) await clock.advance(taken.seconds * 1000);
            else if (taken.do === 'card') flow.attempt(visit, pay.card(taken.number) as never);
            else
              flow.attempt(
                visit,
                pay.phone(taken.number, taken.number.startsWith('097') ? 'airtel' : 'mtn') as never,
              );
          } catch {
            // A step that is refused changes nothing that is asked about here.
          }
          const session = store.findSession('pub_sandbox_demo', 'order-1')!;
          expect(unpackSession(packSession(session))).toEqual(session);
        }
      },
    ),
    { numRuns: 60 },
  );
});

test('a placed collection comes back byte for byte, words of tomorrow and odd times included', () => {
  const { clock, store, merchants } = buildService();
  const { collection } = placeCollection(
    { clock, store, merchants },
    {
      merchant: 'pub_sandbox_demo',
      reference: 'order-2',
      id: randomUUID(),
      amount: '12.30',
      bearer: 'customer',
      type: 'barter',
      status: 'resting',
      source: 'elsewhere',
      initiatedAt: '2026-03-12T07:06:11Z',
      completedAt: '2026-03-12T07:06:15.41234Z',
      settlement: { currency: 'EUR', settledAt: null },
      mobileMoneyDetails: { operator: 'pigeon', accountName: null },
      cardDetails: { lastName: null },
      bankAccountDetails: { bank: ['any', { thing: 1 }] },
      notify: false,
    },
  );

  expect(JSON.stringify(store.findCollection('pub_sandbox_demo', 'order-2'))).toBe(
    JSON.stringify(collection),
  );
});
