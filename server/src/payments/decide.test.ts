import { describe, expect, test } from 'vitest';
import type { VerifiedCollection } from '../service/client.ts';
import { decide } from './decide.ts';
import type { Payment } from './payment.ts';

const DAY_MS = 24 * 60 * 60_000;
const FOUND: VerifiedCollection = {
  reference: 'ref',
  status: 'successful',
  amount: '10.00',
  currency: 'ZMW',
  reasonForFailure: null,
};
const PAYMENT: Payment = {
  reference: 'ref',
  orderId: 'order',
  owner: 'browser',
  data: {},
  amount: '10.00',
  currency: 'ZMW',
  state: 'awaiting-payment',
  reason: null,
  createdAt: 0,
  movedAt: 0,
  paidAt: null,
  paidWith: null,
};

describe('what a response means', () => {
  test.each(['10', '10.0', '10.00'])(
    'an amount of %s is that of 10.00: paid (T99, D50)',
    (amount) => {
      expect(decide(PAYMENT, { ...FOUND, amount }, 0)).toEqual({ to: 'paid' });
    },
  );

  test.each([
    [{ amount: '9.99' }, 'amount differs: ZMW 9.99 arrived'],
    [{ amount: '10.01' }, 'amount differs: ZMW 10.01 arrived'],
    [{ amount: '10.25' }, 'amount differs: ZMW 10.25 arrived'],
    [{ amount: '4242424242424242' }, 'amount differs'],
    [{ currency: 'MWK' }, 'currency differs: MWK 10.00 arrived'],
    [{ currency: 'zmw' }, 'currency differs'],
  ])('%j was really paid: it needs review (T100, D51)', (members, reason) => {
    expect(decide(PAYMENT, { ...FOUND, ...members }, 0)).toEqual({ to: 'needs-review', reason });
  });

  test('amounts a float cannot tell apart differ (T99)', () => {
    const payment = { ...PAYMENT, amount: '9007199254740993.00' };

    expect(decide(payment, { ...FOUND, amount: '9007199254740992.00' }, 0)).toMatchObject({
      to: 'needs-review',
    });
    expect(decide(payment, { ...FOUND, amount: '9007199254740993.00' }, 0)).toEqual({ to: 'paid' });
  });

  test.each([
    'Successful',
    'success',
    'settled',
    'successful ',
    'true',
    'pending',
    'pay-offline',
    'of-tomorrow',
    '',
  ])('a status of %j leaves it pending (T98, D32)', (status) => {
    expect(decide(PAYMENT, { ...FOUND, status }, 0)).toBeUndefined();
  });

  test('unknown to the service is pending, and over after a day without an attempt, counted from its last opening (T102, D35)', () => {
    expect(decide(PAYMENT, undefined, DAY_MS - 1)).toBeUndefined();
    expect(decide(PAYMENT, undefined, DAY_MS)).toEqual({ to: 'expired' });
    const reopened = { ...PAYMENT, movedAt: 40 * DAY_MS };
    expect(decide(reopened, undefined, 41 * DAY_MS - 1)).toBeUndefined();
    expect(decide(reopened, undefined, 41 * DAY_MS)).toEqual({ to: 'expired' });
  });

  test.each(['pending', 'pay-offline', 'of-tomorrow'])(
    'expired and %s awaits its payment again: somebody is paying it (T141, D61)',
    (status) => {
      const expired = { ...PAYMENT, state: 'expired' as const };
      expect(decide(expired, { ...FOUND, status }, DAY_MS)).toEqual({ to: 'awaiting-payment' });
      expect(decide(expired, undefined, DAY_MS)).toBeUndefined();
      expect(decide({ ...PAYMENT, state: 'failed' }, { ...FOUND, status }, 0)).toBeUndefined();
    },
  );

  test('expired fails once the service says so, and then makes room for another (D61)', () => {
    const failed = { ...FOUND, status: 'failed', reasonForFailure: 'Card declined' };
    expect(decide({ ...PAYMENT, state: 'expired' }, failed, DAY_MS)).toEqual({
      to: 'failed',
      reason: 'Card declined',
    });
  });

  test('failed and expired may still be paid; nothing moves what is in review, paid or refused (T98)', () => {
    for (const state of ['failed', 'expired'] as const)
      expect(decide({ ...PAYMENT, state }, FOUND, 0)).toEqual({ to: 'paid' });
    for (const state of ['needs-review', 'paid', 'refused'] as const) {
      expect(decide({ ...PAYMENT, state }, FOUND, 0)).toBeUndefined();
      expect(decide({ ...PAYMENT, state }, { ...FOUND, status: 'failed' }, 0)).toBeUndefined();
    }
  });
});
