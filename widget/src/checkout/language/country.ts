import { LANGUAGES } from '@service-pay/contract/languages';

const LETTERS = Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZ');

/**
 * Returns the two-letter code of a country typed as its code or its name in any of our languages.
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

/** Regions that `Intl` names although they are not countries. */
const NO_COUNTRIES = ['EU', 'EZ', 'QO', 'UN', 'XA', 'XB', 'ZZ'];

export interface Country {
  code: string;
  name: string;
}

const lists = new Map<string, readonly Country[]>();

export function listCountries(language: string): readonly Country[] {
  const list = lists.get(language) ?? buildList(language);
  lists.set(language, list);
  return list;
}

function buildList(language: string): Country[] {
  const names = new Intl.DisplayNames(language, { type: 'region', fallback: 'none' });
  const { compare } = new Intl.Collator(language);
  return LETTERS.flatMap((first) => LETTERS.map((second) => first + second))
    .filter((code) => Intl.getCanonicalLocales(`und-${code}`)[0] === `und-${code}`)
    .flatMap((code) => {
      const name = names.of(code);
      return name && !NO_COUNTRIES.includes(code) ? [{ code, name }] : [];
    })
    .sort((one, other) => compare(one.name, other.name));
}
