/** The languages the popup speaks, by their primary subtags. English is built in; each other is loaded where it is chosen. */
export const LANGUAGES = ['en', 'fr', 'pt', 'sw', 'ar'] as const;
export type Language = (typeof LANGUAGES)[number];

/**
 * The first candidate's language that the popup speaks, whatever its region (`pt-BR`, `fr_CA`), English otherwise (D23).
 * What names no language is passed over (T22). Throws nothing.
 */
export function chooseLanguage(candidates: readonly (string | undefined)[]): Language {
  for (const candidate of candidates) {
    const primary = /^[a-z]{2}(?=[-_]|$)/i.exec(candidate ?? '')?.[0].toLowerCase();
    if (LANGUAGES.includes(primary as Language)) return primary as Language;
  }
  return 'en';
}

/** Which way a language is written. */
export function directionOf(language: Language): 'ltr' | 'rtl' {
  return language === 'ar' ? 'rtl' : 'ltr';
}
