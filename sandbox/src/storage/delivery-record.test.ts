import fc from 'fast-check';
import { expect, test } from 'vitest';

import type { KeptDelivery } from '../webhooks/delivery.ts';
import { packDelivery, parseDelivery, unpackDelivery } from './delivery-record.ts';

const attempt = {
  ...{
    at: '2030-01-01T00:00:00.000Z',
    signature: 'ab',
    status: 503,
    headers: { server: 'x' },
    body: 'später',
  },
  ...{ error: 'Answered 503.', tookMs: 1 },
};

test('a delivery comes back as it was, whatever its texts are', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme' }),
      fc.string({ unit: 'grapheme', maxLength: 200 }),
      (reference, body) => {
        const delivery = {
          ...{
            id: 'a',
            event: 'collection.successful',
            merchant: 'pub_a',
            reference,
            url: 'http://localhost/',
            body,
          },
          ...{
            createdAt: '2030-01-01T00:00:00.000Z',
            repeats: null,
            isReplay: false,
            treatment: { copies: 1 },
          },
          ...{ status: 'given-up', dueAt: null, plan: null, isHeld: false, behind: 'b' },
          attempts: [
            attempt,
            { ...attempt, sentBody: body, faults: ['Cut.'], status: null, body: null },
          ],
        } as KeptDelivery;

        const packed = packDelivery(delivery);

        expect(packed).toMatch(/^[\0-\xff]*$/);
        expect(unpackDelivery(packed)).toEqual(delivery);
        expect(parseDelivery(packed)).toEqual(delivery);
      },
    ),
  );
});

test.each(['', 'x', packDelivery({ id: 'a' } as KeptDelivery)])(
  '%j is no delivery, and throws',
  (text) => {
    expect(() => parseDelivery(text)).toThrow();
  },
);
