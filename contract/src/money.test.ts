import fc from 'fast-check';
import * as v from 'valibot';
import { describe, expect, test } from 'vitest';

import { currencySchema, decimalSchema, isSameAmount, toDecimal } from './money.ts';

const decimals = fc.bigInt({ min: 1n, max: 999_999_999_999_999n }).map((hundredths) => ({
  hundredths,
  text: `${hundredths / 100n}.${String(hundredths % 100n).padStart(2, '0')}`,
}));

describe('an amount from a page', () => {
  test.each([
    [0.1 + 0.2, '0.30'],
    [1_000_000_000.1 + 0.2, '1000000000.30'],
    [10.1, '10.10'],
    ['10.75', '10.75'],
    [10, '10.00'],
    ['10', '10.00'],
    ['10.5', '10.50'],
    [0.01, '0.01'],
    [9_999_999_999_999.99, '9999999999999.99'],
    [999_999_999_999_999, '999999999999999.00'],
  ])('an amount from a page %j becomes %j (D6, T5)', (amount, decimal) => {
    expect(toDecimal(amount)).toBe(decimal);
  });

  test.each([
    ...[
      Number.NaN,
      Number.POSITIVE_INFINITY,
      Number.NEGATIVE_INFINITY,
      0,
      -0,
      -1,
      10.001,
      1.005,
      1e21,
      1e-7,
      0.004,
    ],
    ...[
      '1e3',
      '10,50',
      ' 10 ',
      '',
      '0',
      '0.00',
      '-1',
      '+1',
      '10.',
      '.5',
      '010',
      '1,234.50',
      'K10',
      '1_000',
      '0x10',
      '10\n',
      '１０',
    ],
    ...[null, undefined, [5], true, {}, 10n, Symbol('10')],
    ...[12_345_678_901_234.56, '12345678901234.56', '1000000000000000', 1e15],
  ])('an amount from a page %s is rejected (D6, T5)', (amount) => {
    expect(toDecimal(amount)).toBeUndefined();
  });

  test('every number with two decimals and at most 15 digits keeps its value (D6)', () => {
    fc.assert(
      fc.property(
        decimals,
        ({ text }) => toDecimal(Number(text)) === text && toDecimal(text) === text,
      ),
    );
  });

  test('every number with a third decimal is rejected (D6)', () => {
    const thousandths = fc
      .integer({ min: 1, max: 999_999_999_999 })
      .filter((value) => value % 10 !== 0);

    fc.assert(
      fc.property(
        thousandths,
        (value) =>
          toDecimal(value / 1000) === undefined && toDecimal(`${value / 1000}`) === undefined,
      ),
    );
  });

  test('the floating-point sum of a long cart becomes the exact sum (D6)', () => {
    const carts = fc.record({
      price: fc.integer({ min: 1, max: 100_000 }),
      count: fc.integer({ min: 1, max: 100 }),
    });

    fc.assert(
      fc.property(carts, ({ price, count }) => {
        const sum = Array.from({ length: count }, () => price / 100).reduce(
          (total, each) => total + each,
          0,
        );
        return toDecimal(sum) === ((price * count) / 100).toFixed(2);
      }),
    );
  });
});

describe('a decimal from the service', () => {
  test.each(['10.00', '10', '10.0', '0.25', '0.00', '9007199254740993.00'])(
    'a decimal from the service %j is one',
    (text) => {
      expect(v.is(decimalSchema, text)).toBe(true);
    },
  );

  test.each([
    '1e1',
    '10.',
    '-10.00',
    '+10',
    ' 10',
    '10 ',
    '10,00',
    '１０.00',
    '010',
    '.5',
    '10.000',
    '',
    '10.00\n',
    10,
    null,
    [10],
  ])('a decimal from the service %j is none (T99)', (value) => {
    expect(v.is(decimalSchema, value)).toBe(false);
  });

  test.each(['10', '10.0', '10.00'])(
    'a decimal from the service %j is the same amount as 10.00 (T99)',
    (text) => {
      expect(isSameAmount(text, '10.00')).toBe(true);
    },
  );

  test.each(['9.99', '10.01', '100.00', '1.00'])(
    'a decimal from the service %j is another amount than 10.00 (T99)',
    (text) => {
      expect(isSameAmount(text, '10.00')).toBe(false);
    },
  );

  test('a decimal from the service differs in the last digit even if both are equal as floats (T99)', () => {
    expect(isSameAmount('9007199254740993.00', '9007199254740992.00')).toBe(false);
  });

  test('a decimal from the service equals another only if all hundredths are equal (D50)', () => {
    fc.assert(
      fc.property(
        decimals,
        decimals,
        (one, other) =>
          isSameAmount(one.text, other.text) === (one.hundredths === other.hundredths),
      ),
    );
  });

  test('a decimal from the service cannot be compared with a text that is not a decimal', () => {
    expect(() => isSameAmount('10.00', '1e1')).toThrow();
  });
});

describe('a currency', () => {
  test.each(['ZMW', 'MWK', 'USD'])('a currency %j is one', (text) => {
    expect(v.is(currencySchema, text)).toBe(true);
  });

  test.each(['zmw', 'K', 'ZM', 'ZMWK', 'ZMW\n', '', 'ＺＭＷ', 967])(
    'a currency %j is not valid (D7, U15)',
    (value) => {
      expect(v.is(currencySchema, value)).toBe(false);
    },
  );
});
