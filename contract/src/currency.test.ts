import { expect, test } from 'vitest';

import { decimalsOf, isCurrency } from './currency.ts';

test('a currency is one of ISO 4217 and no other (D48)', () => {
  expect(['ZMW', 'MWK', 'USD', 'EUR', 'JPY', 'XAF'].filter(isCurrency)).toHaveLength(6);
  expect(['QQQ', 'ZMK', 'XXX', 'zmw', 'ZM', 'AED AFN', 'ED '].filter(isCurrency)).toEqual([]);
});

test('a currency has two decimals, or none where people write none (D48)', () => {
  expect(['JPY', 'UGX', 'XOF'].map(decimalsOf)).toEqual([0, 0, 0]);
  expect(['ZMW', 'KWD', 'USD'].map(decimalsOf)).toEqual([2, 2, 2]);
});
