const LETTERS = Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZ');

/** The two-letter code of a country typed as its code or by its name in `locale`; undefined where no country is called so. */
export function findCountry(text: string, locale = 'en'): string | undefined {
  const wanted = text.trim();
  const names = new Intl.DisplayNames(locale, { type: 'region', fallback: 'none' });
  if (/^[A-Za-z]{2}$/.test(wanted)) return names.of(wanted.toUpperCase()) ? wanted.toUpperCase() : undefined;
  const { compare } = new Intl.Collator(locale, { sensitivity: 'base' });
  for (const first of LETTERS) {
    for (const second of LETTERS) {
      const name = names.of(first + second);
      if (name && compare(name, wanted) === 0) return first + second;
    }
  }
  return undefined;
}
