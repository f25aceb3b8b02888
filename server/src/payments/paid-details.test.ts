import { expect, test } from 'vitest';

import { readPaidDetails } from './paid-details.ts';

const FOUND = {
  reference: 'ref',
  status: 'successful',
  amount: '10.00',
  currency: 'ZMW',
  reasonForFailure: null,
};
const CARD = { firstName: 'A', lastName: 'B', bin: '424242', last4: '4242', cardType: 'visa' };
const PHONE = {
  country: 'zm',
  phone: '0961111111',
  operator: 'mtn',
  accountName: null,
  operatorTransactionId: null,
};

test.each([
  [{ cardDetails: CARD }, { channel: 'card', label: 'Visa •• 4242' }],
  [{ cardDetails: { ...CARD, cardType: null } }, { channel: 'card', label: 'Card •• 4242' }],
  [{ cardDetails: { ...CARD, last4: null } }, { channel: 'card', label: 'Visa' }],
  [{ mobileMoneyDetails: PHONE }, { channel: 'mobile-money', label: 'MTN •• 1111' }],
  [
    { mobileMoneyDetails: { ...PHONE, operator: 'airtel' } },
    { channel: 'mobile-money', label: 'Airtel •• 1111' },
  ],
  [
    { mobileMoneyDetails: { ...PHONE, operator: '<b>', phone: 'x' } },
    { channel: 'mobile-money', label: 'Phone' },
  ],
  [{}, null],
])(
  'a response says in %j how an order was paid, and at most four digits are kept',
  (details, paidWith) => {
    expect(readPaidDetails({ ...FOUND, ...details }).paidWith).toEqual(paidWith);
  },
);

test.each([
  ['2026-03-12T07:06:11.562Z', Date.UTC(2026, 2, 12, 7, 6, 11, 562)],
  [null, null],
  ['yesterday', null],
])('the time of a payment is read from %s, if it is one', (completedAt, paidAt) => {
  expect(readPaidDetails({ ...FOUND, completedAt }).paidAt).toBe(paidAt);
});
