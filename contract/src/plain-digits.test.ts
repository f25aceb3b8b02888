import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { findCardNumber } from './card.ts';
import { findOneTimeCode } from './one-time-code.ts';
import { findPhone } from './phone.ts';
import { toPlainDigits, withoutGaps } from './plain-digits.ts';

const EVERY_CHARACTER = Array.from({ length: 0x11_0000 }, (_, code) => code)
  .filter((code) => code < 0xd800 || code > 0xdfff)
  .map((code) => String.fromCodePoint(code));
const ofKind = (pattern: RegExp) => EVERY_CHARACTER.filter((one) => pattern.test(one));
const DIGITS = ofKind(/\p{Nd}/u);
const INVISIBLE = ofKind(/[\p{Cf}\p{Variation_Selector}]/u);
const SPACES = ofKind(/\p{Zs}/u);
const DASHES = [...ofKind(/\p{Pd}/u), '\u2212'];

const NETWORK = {
  operator: 'mtn',
  name: 'MTN',
  country: 'zm',
  callingCode: '260',
  prefixes: ['096'],
};

describe('plain digits (T128)', () => {
  test('plain digits are 0 to 9 in every script', () => {
    const scripts = Array.from({ length: DIGITS.length / 10 }, (_, at) =>
      DIGITS.slice(10 * at, 10 * at + 10).join(''),
    );

    expect(scripts.length).toBeGreaterThan(60);
    expect([...new Set(scripts.map(toPlainDigits))]).toEqual(['0123456789']);
  });

  test('plain digits have no format character and no variation selector between them', () => {
    expect(INVISIBLE).toEqual(
      expect.arrayContaining(['\u00ad', '\u200b', '\u202a', '\u2066', '\ufeff', '\ufe0f']),
    );
    expect([...new Set(INVISIBLE.map((one) => toPlainDigits(`1${one}2`)))]).toEqual(['12']);
  });

  test('plain digits have blanks for all spaces and hyphens for all dashes', () => {
    expect([...new Set(SPACES.map((one) => toPlainDigits(`1${one}2`)))]).toEqual(['1 2']);
    expect([...new Set(DASHES.map((one) => toPlainDigits(`1${one}2`)))]).toEqual(['1-2']);
  });

  test('plain digits leave letters, other numerals and ASCII text as they are', () => {
    expect(toPlainDigits('+260 (96) 1/2.x é ² ② Ⅻ')).toBe('+260 (96) 1/2.x é ² ② Ⅻ');
  });

  test('plain digits are what a phone, a card and a code are read from, however each was copied', () => {
    const copied = (digits: string) =>
      fc
        .tuple(
          fc.nat(DIGITS.length / 10 - 1),
          fc.array(fc.constantFrom(...INVISIBLE, ...SPACES, ...DASHES), {
            minLength: digits.length + 1,
            maxLength: digits.length + 1,
          }),
        )
        .map(([script, gaps]) =>
          Array.from(digits, (digit, at) => `${gaps[at]}${DIGITS[10 * script + Number(digit)]}`)
            .concat(gaps.at(-1)!)
            .join(''),
        );

    fc.assert(
      fc.property(
        copied('0961111111'),
        copied('4242424242424242'),
        copied('000123'),
        (phone, card, code) => {
          expect(findPhone(phone, [NETWORK])?.national).toBe('0961111111');
          expect(findCardNumber(card)).toBe('4242424242424242');
          expect(findOneTimeCode(code)).toBe('000123');
          expect(withoutGaps(toPlainDigits(code))).toBe('000123');
        },
      ),
    );
  });
});
