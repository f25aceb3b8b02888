import { findPhone } from '@service-pay/contract/phone';
import fc from 'fast-check';
import { type CountryCode, parsePhoneNumberFromString } from 'libphonenumber-js/min';
import { expect, test } from 'vitest';

import { EVERY_NETWORK, NETWORKS_BY_CURRENCY } from './phones.ts';

test('a number of another country belongs to no network offered', () => {
  expect(findPhone('0881111111', NETWORKS_BY_CURRENCY.get('ZMW')!)).toBeUndefined();
  expect(findPhone('0881111111', NETWORKS_BY_CURRENCY.get('MWK')!)).toMatchObject({
    network: { operator: 'tnm' },
  });
});

test('findPhone reads numbers as libphonenumber-js does, with 00 as the international prefix', () => {
  const anyNumber = fc
    .tuple(
      fc.constantFrom('', '+', '00'),
      fc.constantFrom('', '260', '265', '27'),
      fc.constantFrom('', '0'),
      fc.constantFrom(
        ...EVERY_NETWORK.flatMap(({ prefixes }) => prefixes.map((prefix) => prefix.slice(1))),
        '93',
        '21',
      ),
      fc.stringMatching(/^[0-9]{6,8}$/),
    )
    .chain((parts) => fc.constantFrom('', ' ', '-').map((gap) => parts.join(gap)));
  const anyText = fc.oneof(anyNumber, fc.stringMatching(/^\+?[0-9 ()-]{8,16}$/));

  fc.assert(
    fc.property(anyText, (text) => {
      expect(findPhone(text, EVERY_NETWORK)?.international).toBe(readByRules(text));
    }),
    { numRuns: 2_000 },
  );

  function readByRules(text: string): string | undefined {
    const compact = text.replace(/[\s().-]/g, '').replace(/^00(?=26)/, '+');
    if (!/^\+?[0-9]{9,13}$/.test(compact)) return undefined;
    for (const country of ['ZM', 'MW'] satisfies CountryCode[]) {
      const parsed = parsePhoneNumberFromString(compact, {
        defaultCountry: country,
        extract: false,
      });
      if (parsed?.nationalNumber.length !== 9) continue;
      const isOurs = ({ callingCode, prefixes }: (typeof EVERY_NETWORK)[number]) =>
        callingCode === parsed.countryCallingCode &&
        prefixes.some((prefix) => `0${parsed.nationalNumber}`.startsWith(prefix));
      if (EVERY_NETWORK.some(isOurs)) return parsed.number;
    }
    return undefined;
  }
});
