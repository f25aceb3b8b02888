import { readFileSync } from 'node:fs';
import * as v from 'valibot';
import { describe, expect, test } from 'vitest';

import { COLLECTION_STATUSES, collectionSchema, isFinalStatus } from './collection.ts';
import { envelopeSchema } from './envelope.ts';

const RESPONSE = JSON.parse(
  readFileSync(new URL('test-data/verify-response.json', import.meta.url), 'utf8'),
);

describe('a collection', () => {
  test('a collection is read field by field as in the specification (2.3 to 2.5)', () => {
    expect(v.parse(envelopeSchema(collectionSchema), RESPONSE)).toEqual(RESPONSE);
  });

  test('a collection may have null in fields that are not known yet (D33)', () => {
    const early = {
      ...RESPONSE.data,
      ...{
        completedAt: null,
        fee: null,
        settlementStatus: null,
        settlement: null,
        mobileMoneyDetails: null,
        status: 'pending',
      },
    };

    expect(v.parse(collectionSchema, early)).toEqual(early);
  });

  test('a collection of a card has only the card details we keep (D34)', () => {
    const cardDetails = {
      firstName: 'Ada',
      lastName: 'Banda',
      bin: '424242',
      last4: '4242',
      cardType: 'visa',
    };
    const paidByCard = { ...RESPONSE.data, type: 'card', mobileMoneyDetails: null, cardDetails };

    expect(
      v.parse(collectionSchema, {
        ...paidByCard,
        cardDetails: { ...cardDetails, number: '4242424242424242' },
      }),
    ).toEqual(paidByCard);
  });

  test('a collection drops members it does not know (D46)', () => {
    const data = {
      ...RESPONSE.data,
      colour: 'red',
      settlement: { ...RESPONSE.data.settlement, colour: 'red' },
    };

    expect(v.parse(collectionSchema, data)).toEqual(RESPONSE.data);
  });

  test('a collection may have an unknown status, type, source and operator (D32)', () => {
    const data = {
      ...RESPONSE.data,
      ...{ status: 'reversed', type: 'bank', source: 'ussd', settlementStatus: 'held' },
      mobileMoneyDetails: { ...RESPONSE.data.mobileMoneyDetails, operator: 'newtel' },
    };

    expect(v.parse(collectionSchema, data)).toEqual(data);
  });

  test.each([
    ['amount', 10],
    ['amount', '1e1'],
    ['amount', '10.'],
    ['amount', null],
    ['currency', 'zmw'],
    ['id', '1'],
    ['initiatedAt', 'yesterday'],
    ['status', true],
    ['status', null],
    ['reference', undefined],
    ['fee', '0,25'],
    ['settlement', []],
  ])('a collection is rejected with %s %j', (member, value) => {
    expect(v.is(collectionSchema, { ...RESPONSE.data, [member]: value })).toBe(false);
  });
});

describe('a status', () => {
  test('a status is final only if it is successful or failed (D30)', () => {
    expect(COLLECTION_STATUSES.filter((status) => isFinalStatus(status))).toEqual([
      'successful',
      'failed',
    ]);
  });

  test.each([
    'Successful',
    'success',
    'settled',
    'successful ',
    'true',
    'reversed',
    '',
    'constructor',
  ])('a status %j is not final (D32, T98)', (status) => {
    expect(isFinalStatus(status)).toBe(false);
  });
});
