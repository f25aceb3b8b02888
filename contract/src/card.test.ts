import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

import { findCardNumber, findExpiry, findExpiryProblem, hasCheckDigit } from './card.ts';

const { cardNumbers, expiries } = JSON.parse(
  readFileSync(new URL('test-data/instrument-vectors.json', import.meta.url), 'utf8'),
) as {
  cardNumbers: { text: string; digits: string | null }[];
  expiries: { text: string; now: string; problem: string | null }[];
};

describe('a card number', () => {
  test.each(cardNumbers)('$text is read as $digits (T44)', ({ text, digits }) => {
    expect(findCardNumber(text) ?? null).toBe(digits);
  });

  test('with any one digit changed fails the check', () => {
    for (let place = 0; place < 16; place++)
      for (let by = 1; by < 10; by++) {
        const digits = Array.from('4242424242424242', Number);
        digits[place] = (digits[place]! + by) % 10;
        expect(hasCheckDigit(digits.join(''))).toBe(false);
      }
  });
});

describe('an expiry date', () => {
  test.each(expiries)('$text at $now: $problem (T44)', ({ text, now, problem }) => {
    expect(findExpiryProblem(text, Date.parse(now)) ?? null).toBe(problem);
  });

  test('is read as month and year', () => {
    expect(findExpiry('5 / 2030')).toEqual({ month: 5, year: 2030 });
  });
});
