import { expect, test } from 'vitest';

import { findPhone, NETWORKS_BY_CURRENCY } from './phone-numbers.ts';

test.each([
  '0961111111',
  '961111111',
  '260961111111',
  '+260961111111',
  '096 111 1111',
  '096-111-1111',
  ' +260 96 1111111 ',
  '+260 0961111111',
])('reads %j as one handset (T46)', (text) => {
  expect(findPhone(text)).toMatchObject({ national: '0961111111', international: '+260961111111', network: { operator: 'mtn' } });
});

test.each([
  '',
  '096111111',
  '09611111111',
  'abc',
  '096111111x',
  '+15551234567',
  '０961111111',
  '0931111111',
  '+0961111111',
  '00260961111111',
  '+260'.repeat(9),
])('refuses %j (T46)', (text) => {
  expect(findPhone(text)).toBeUndefined();
});

test('a number of another country is none of the offered networks', () => {
  expect(findPhone('0881111111', NETWORKS_BY_CURRENCY.get('ZMW'))).toBeUndefined();
  expect(findPhone('0881111111', NETWORKS_BY_CURRENCY.get('MWK'))).toMatchObject({ network: { operator: 'tnm' } });
});
