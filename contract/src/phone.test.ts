import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

import { findNetwork, findPhone } from './phone.ts';

const ZAMBIA = { country: 'zm', callingCode: '260' };
const MTN = { operator: 'mtn', name: 'MTN', ...ZAMBIA, prefixes: ['096', '076'] };
const AIRTEL = { operator: 'airtel', name: 'Airtel', ...ZAMBIA, prefixes: ['097', '077'] };
const NETWORKS = [MTN, AIRTEL];

const { phones } = JSON.parse(
  readFileSync(new URL('test-data/instrument-vectors.json', import.meta.url), 'utf8'),
) as { phones: { text: string; national: string | null }[] };

test.each(phones)('a phone number "$text" is read as $national (T46)', ({ text, national }) => {
  expect(findPhone(text, NETWORKS)?.national ?? null).toBe(national);
});

test('a phone number is found with its network and its international form', () => {
  expect(findPhone('097 222 2222', NETWORKS)).toEqual({
    national: '0972222222',
    international: '+260972222222',
    network: AIRTEL,
  });
});

test('the network of a phone number is found as soon as the prefix is typed, in every form', () => {
  const typed = ['096', '96', '+26096', '260 97', '0026096', '00260 097'];

  expect(typed.map((text) => findNetwork(text, NETWORKS)?.name)).toEqual([
    'MTN',
    'MTN',
    'MTN',
    'Airtel',
    'MTN',
    'Airtel',
  ]);
  expect(['', '0', '09', '02'].map((text) => findNetwork(text, NETWORKS))).toEqual(
    Array(4).fill(undefined),
  );
});
