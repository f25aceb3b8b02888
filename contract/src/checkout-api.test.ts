import * as v from 'valibot';
import { describe, expect, test } from 'vitest';

import { createAttemptSchema, oneTimeCodeSchema, sessionSchema } from './checkout-api.ts';

const ID = '9c1d2f64-7a0e-4b7c-8e57-6a1f4b3d2c33';
const CARD = {
  number: '4242 4242 4242 4242',
  expiry: '12/34',
  securityCode: '123',
  name: 'Ada Banda',
};

const SESSION = {
  reference: 'ref-1',
  merchantName: 'Demo shop',
  label: null,
  amount: '10.00',
  fee: '0.00',
  total: '10.00',
  currency: 'ZMW',
  bearer: 'merchant',
  isTest: true,
  channels: ['card', 'mobile-money'],
  networks: [
    { operator: 'mtn', name: 'MTN', country: 'zm', callingCode: '260', prefixes: ['096', '076'] },
  ],
  status: 'open',
  reasonForFailure: null,
  attemptsLeft: 5,
  expiresAt: '2026-03-12T07:36:11.562Z',
  now: '2026-03-12T07:06:11.562Z',
  attempt: null,
};

describe('an attempt', () => {
  test('an attempt keeps what the customer typed, by card and by phone', () => {
    const byCard = { id: ID, channel: 'card', card: CARD, billing: { city: 'Lusaka' } };
    const byPhone = {
      id: ID,
      channel: 'mobile-money',
      mobileMoney: { operator: 'mtn', phone: '096-111 1111' },
    };

    expect(v.parse(createAttemptSchema, byCard)).toEqual(byCard);
    expect(v.parse(createAttemptSchema, byPhone)).toEqual(byPhone);
  });

  test('an attempt drops an amount, a fee, a status and a bearer (T38)', () => {
    const forged = {
      id: ID,
      channel: 'card',
      card: CARD,
      amount: '0.01',
      fee: '0.00',
      status: 'successful',
      bearer: 'merchant',
    };

    expect(v.parse(createAttemptSchema, forged)).toEqual({ id: ID, channel: 'card', card: CARD });
  });

  test.each([
    { id: 'mine', channel: 'card', card: CARD },
    { id: ID, channel: 'bank', card: CARD },
    { id: ID, channel: 'card' },
    { id: ID, channel: 'card', card: { ...CARD, number: 4242424242424242 } },
    { id: ID, channel: 'card', card: { ...CARD, number: '4'.repeat(65) } },
    { id: ID, channel: 'mobile-money', card: CARD },
    null,
  ])('an attempt is none in %j', (attempt) => {
    expect(v.is(createAttemptSchema, attempt)).toBe(false);
  });
});

describe('a one-time code', () => {
  test('a one-time code is a text as typed, of at most 64 characters', () => {
    expect(v.is(oneTimeCodeSchema, { code: ' 000-000 ' })).toBe(true);
    expect(v.is(oneTimeCodeSchema, { code: '0'.repeat(65) })).toBe(false);
    expect(v.is(oneTimeCodeSchema, { code: 123456 })).toBe(false);
  });
});

describe('a session', () => {
  test('a session is read completely, without unknown members (D46)', () => {
    expect(v.parse(sessionSchema, { ...SESSION, colour: 'red' })).toEqual(SESSION);
  });

  test('a session may have an unknown status (D32)', () => {
    expect(v.is(sessionSchema, { ...SESSION, status: 'held', channels: ['bank'] })).toBe(true);
  });
});
