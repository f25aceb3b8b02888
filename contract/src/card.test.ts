import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { findCardNumber, findExpiry, findExpiryProblem, hasCheckDigit } from './card.ts';

const { cardNumbers, expiries } = JSON.parse(
  readFileSync(new URL('test-data/instrument-vectors.json', import.meta.url), 'utf8'),
) as {
  cardNumbers: { text: string; digits: string | null }[];
  expiries: { text: string; now: string; problem: string | null }[];
};

describe('a card number', () => {
  test.each(cardNumbers)('a card number $text is read as $digits (T44)', ({ text, digits }) => {
    expect(findCardNumber(text) ?? null).toBe(digits);
  });

  test('a card number with any one digit changed fails the check', () => {
    for (let place = 0; place < 16; place++)
      for (let by = 1; by < 10; by++) {
        const digits = Array.from('4242424242424242', Number);
        digits[place] = (digits[place]! + by) % 10;
        expect(hasCheckDigit(digits.join(''))).toBe(false);
      }
  });
});

describe('an expiry date', () => {
  test.each(expiries)('an expiry date $text at $now: $problem (T44)', ({ text, now, problem }) => {
    expect(findExpiryProblem(text, Date.parse(now)) ?? null).toBe(problem);
  });

  test('an expiry date is read as month and year', () => {
    expect(findExpiry('5 / 2030')).toEqual({ month: 5, year: 2030 });
  });

  test('an expiry date is read in any order and with any separator that leave one reading (T128)', () => {
    const twoDigits = (value: number) => String(value).padStart(2, '0');
    const separator = fc.stringMatching(/^[ \-/.,_:|\\·–—−／‐]{1,3}$/);
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 12 }),
        fc.integer({ min: 13, max: 99 }),
        separator,
        (month, year, gap) => {
          const [mm, yy] = [twoDigits(month), twoDigits(year)];
          const written = [
            `${month}${gap}${yy}`,
            ...[mm + gap + yy, yy + gap + mm, mm + yy, yy + mm],
            ...[`${mm}${gap}20${yy}`, `20${yy}${gap}${mm}`, `${mm}20${yy}`, `20${yy}${mm}`],
            ...[`${month}${gap}20${yy}`, `20${yy}${gap}${month}`],
          ];
          for (const text of written)
            expect(findExpiry(text), text).toEqual({ month, year: 2000 + year });
        },
      ),
    );
  });

  test('an expiry date is read with the month first if both orders are possible', () => {
    expect(['11/12', '1112', '12 10'].map(findExpiry)).toEqual([
      { month: 11, year: 2012 },
      { month: 11, year: 2012 },
      { month: 12, year: 2010 },
    ]);
  });

  test.each(['12/3', '34/1', '2034', '534', '12/34/01', '2034-12-01', '12x34', '12/034', '1/'])(
    'an expiry date is not read from %s, which is unfinished or more than a month and a year',
    (text) => {
      expect(findExpiry(text)).toBeUndefined();
    },
  );
});
