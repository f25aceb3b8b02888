import { expect, test } from 'vitest';

import { buildMoneyFormat } from './money-format.ts';

const show = (locale: string, decimal: string) =>
  buildMoneyFormat(locale, 'ZMW')
    .format(decimal as Intl.StringNumericLiteral)
    .replaceAll(/\s/gu, ' ');

test.each([
  ['en', '10.00', 'ZMW 10.00'],
  ['en', '1234567890123.40', 'ZMW 1,234,567,890,123.40'],
  ['fr', '1234.5', '1 234,50 ZMW'],
  ['fr_CA', '1234.5', '1 234,50 ZMW'],
  ['fr-!!!', '1234.5', '1 234,50 ZMW'],
])('writes an amount in %s with its code and two decimals', (locale, decimal, text) => {
  expect(show(locale, decimal)).toBe(text);
});
