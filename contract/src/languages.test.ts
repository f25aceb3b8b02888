import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { chooseLanguage, chooseLocale, directionOf, LANGUAGES } from './languages.ts';

const candidate = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.constant(undefined),
  fc
    .tuple(
      fc.constantFrom(...LANGUAGES, 'xx', 'FR', '__proto__', 'constructor'),
      fc.constantFrom('', '-', '_', '/', ' ', '\n'),
      fc.string(),
    )
    .map((parts) => parts.join('')),
);

describe('the language of the popup', () => {
  it.each([
    [['fr'], 'fr'],
    [['pt-BR'], 'pt'],
    [['fr_CA'], 'fr'],
    [['SW-tz'], 'sw'],
    [['ar-u-nu-arab'], 'ar'],
    [[undefined, '', 'zh', 'zh-Hant', 'sw'], 'sw'],
    [['en-ZM', 'fr'], 'en'],
    [['zh'], 'en'],
    [[], 'en'],
  ])('the language of the popup is, of %j, %s (D23)', (candidates, language) => {
    expect(chooseLanguage(candidates)).toBe(language);
  });

  it('the language of the popup keeps the region for amounts and dates', () => {
    expect(chooseLocale(['zh-TW', undefined, 'pt-MZ', 'fr'])).toBe('pt-MZ');
    expect(chooseLocale(['zh-TW', '__proto__'])).toBe('en');
  });

  it('the language of the popup ignores texts that are not a language (T22)', () => {
    const odd = [
      '../../x',
      '__proto__',
      'constructor',
      'fr/../x',
      'fr\n',
      ' fr',
      'french',
      'f',
      'x'.repeat(1_000_000),
      'fr'.repeat(1_000_000),
    ];

    for (const name of odd) expect(chooseLanguage([name, 'pt'])).toBe('pt');
  });

  it('the language of the popup is always a supported one, and the first supported one of those wanted (T22)', () => {
    fc.assert(
      fc.property(fc.array(candidate), (wanted) => {
        const chosen = chooseLanguage(wanted);

        expect(LANGUAGES).toContain(chosen);
        const alone = wanted.map(
          (name) =>
            chooseLanguage([name, 'ar']) === chooseLanguage([name, 'sw']) && chooseLanguage([name]),
        );
        expect(chosen).toBe(alone.find(Boolean) || 'en');
      }),
    );
  });

  it('the language of the popup is written from right to left only if it is Arabic', () => {
    expect(LANGUAGES.filter((language) => directionOf(language) === 'rtl')).toEqual(['ar']);
  });
});
