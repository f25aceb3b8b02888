import fc from 'fast-check';
import { type CountryCode, parsePhoneNumberFromString } from 'libphonenumber-js/min';
import { expect, test } from 'vitest';

import { findPhone, NETWORKS_BY_CURRENCY } from './phones.ts';

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
  expect(findPhone(text)).toMatchObject({
    national: '0961111111',
    international: '+260961111111',
    network: { operator: 'mtn' },
  });
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
  expect(findPhone('0881111111', NETWORKS_BY_CURRENCY.get('MWK'))).toMatchObject({
    network: { operator: 'tnm' },
  });
});

test('reads any text as the rules of libphonenumber-js do', () => {
  const networks = [...NETWORKS_BY_CURRENCY.values()].flat();
  const anyNumber = fc
    .tuple(
      fc.constantFrom('', '+', '00'),
      fc.constantFrom('', '260', '265', '27'),
      fc.constantFrom('', '0'),
      fc.constantFrom(
        ...networks.flatMap(({ prefixes }) => prefixes.map((prefix) => prefix.slice(1))),
        '93',
        '21',
      ),
      fc.stringMatching(/^[0-9]{6,8}$/),
    )
    .chain((parts) => fc.constantFrom('', ' ', '-').map((gap) => parts.join(gap)));
  const anyText = fc.oneof(anyNumber, fc.stringMatching(/^\+?[0-9 ()-]{8,16}$/));

  fc.assert(
    fc.property(anyText, (text) => {
      expect(findPhone(text)?.international).toBe(readByRules(text));
    }),
    { numRuns: 2_000 },
  );

  function readByRules(text: string): string | undefined {
    const compact = text.replace(/[\s().-]/g, '');
    if (!/^\+?[0-9]{9,13}$/.test(compact)) return undefined;
    for (const country of ['ZM', 'MW'] satisfies CountryCode[]) {
      const parsed = parsePhoneNumberFromString(compact, {
        defaultCountry: country,
        extract: false,
      });
      if (parsed?.nationalNumber.length !== 9) continue;
      const isOurs = ({ callingCode, prefixes }: (typeof networks)[number]) =>
        callingCode === parsed.countryCallingCode &&
        prefixes.some((prefix) => `0${parsed.nationalNumber}`.startsWith(prefix));
      if (networks.some(isOurs)) return parsed.number;
    }
    return undefined;
  }
});
