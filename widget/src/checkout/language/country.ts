import { LANGUAGES } from '@service-pay/contract/languages';

const LETTERS = Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZ');

/**
 * The two-letter code of a country typed as its code or by its name in any of our languages;
 * undefined where no country is called so.
 */
export function findCountry(text: string): string | undefined {
  const wanted = text.trim();
  for (const language of LANGUAGES) {
    const names = new Intl.DisplayNames(language, { type: 'region', fallback: 'none' });
    if (/^[A-Za-z]{2}$/.test(wanted))
      return names.of(wanted.toUpperCase()) ? wanted.toUpperCase() : undefined;
    const { compare } = new Intl.Collator(language, { sensitivity: 'base' });
    for (const first of LETTERS) {
      for (const second of LETTERS) {
        const name = names.of(first + second);
        if (name && compare(name, wanted) === 0) return first + second;
      }
    }
  }
  return undefined;
}
