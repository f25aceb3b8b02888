import { expect, test } from 'vitest';

import { decimalsOf, isCurrency } from './currency.ts';

test('knows the currencies of ISO 4217 and no others (D48)', () => {
  expect(['ZMW', 'MWK', 'USD', 'EUR', 'JPY', 'XAF'].filter(isCurrency)).toHaveLength(6);
  expect(['QQQ', 'ZMK', 'XXX', 'zmw', 'ZM', 'AED AFN', 'ED '].filter(isCurrency)).toEqual([]);
});

test('knows which currencies have no decimals (D48)', () => {
  expect(['JPY', 'UGX', 'XOF'].map(decimalsOf)).toEqual([0, 0, 0]);
  expect(['ZMW', 'KWD', 'USD'].map(decimalsOf)).toEqual([2, 2, 2]);
});
