import { expect, test } from 'vitest';

import { buildMoneyFormat } from './money-format.ts';

const show = (locale: string, decimal: string, currency = 'ZMW') =>
  buildMoneyFormat(locale, currency, decimal)
    .format(decimal as Intl.StringNumericLiteral)
    .replaceAll(/\s/gu, ' ');

test.each([
  ['en', '10.00', 'ZMW 10.00'],
  ['en', '1234567890123.40', 'ZMW 1,234,567,890,123.40'],
  ['fr', '1234.5', '1 234,50 ZMW'],
  ['fr_CA', '1234.5', '1 234,50 ZMW'],
  ['fr-!!!', '1234.5', '1 234,50 ZMW'],
])('an amount in %s is written with its code and two decimals', (locale, decimal, text) => {
  expect(show(locale, decimal)).toBe(text);
});

test.each([
  ['JPY', '1000.00', 'JPY 1,000'],
  ['XAF', '0.00', 'XAF 0'],
  ['UGX', '10.75', 'UGX 10.75'],
  ['KWD', '10.00', 'KWD 10.00'],
  ['PKR', '92.50', 'PKR 92.50'],
  ['UGX', '10.50', 'UGX 10.50'],
])(
  'an amount of %s %s is written as %s: with the decimals of its currency, and never rounded (D48)',
  (currency, decimal, text) => {
    expect(show('en', decimal, currency)).toBe(text);
  },
);
