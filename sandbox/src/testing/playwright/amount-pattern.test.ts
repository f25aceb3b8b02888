import { LANGUAGES } from '@service-pay/contract/languages';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { amountPattern } from './amount-pattern.ts';

const LOCALES = [...LANGUAGES, 'fr-CA', 'pt-BR', 'de-CH', 'ar-EG', 'en-IN'];

describe('the pattern of an amount', () => {
  test.each(LOCALES)('matches an amount in %s', (locale) => {
    const write = new Intl.NumberFormat(locale, {
      style: 'currency',
      currency: 'ZMW',
      currencyDisplay: 'code',
    });

    fc.assert(
      fc.property(fc.integer({ min: 0, max: 10 ** 11 }), (cents) => {
        const amount = `${Math.floor(cents / 100)}.${`${cents % 100}`.padStart(2, '0')}`;
        expect(write.format(Number(amount))).toMatch(amountPattern(amount));
      }),
    );
  });

  test.each([
    ['138.75', 'Pay ZMW 1,138.75'],
    ['138.75', 'Pay ZMW 138.751'],
    ['138.75', 'Pay ZMW 138.70'],
    ['1', 'Pay ZMW 1.50'],
    ['38.75', 'Pay ZMW 138.75'],
    ['1', 'Pay JPY 1,500'],
    ['1', 'Pay 1 500 JPY'],
    ['1.50', 'Pay JPY 1'],
  ])('%s does not match %s', (amount, text) => {
    expect(text).not.toMatch(amountPattern(amount));
  });

  test('the pattern of an amount matches a whole amount of a currency without decimals', () => {
    expect('Pay JPY 1,500').toMatch(amountPattern('1500.00'));
    expect('Payer 1 500 JPY').toMatch(amountPattern(1500));
  });

  test('the pattern of an amount accepts whole units and numbers', () => {
    expect('Pay ZMW 1,500.00').toMatch(amountPattern('1500'));
    expect('Pay ZMW 10.50').toMatch(amountPattern(10.5));
  });
});
