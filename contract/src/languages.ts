/**
 * The languages the popup speaks, by their primary subtags. English is built in; each other is
 * loaded where it is chosen.
 */
export const LANGUAGES = ['en', 'fr', 'pt', 'sw', 'ar'] as const;
export type Language = (typeof LANGUAGES)[number];

/**
 * The first candidate in a language that the popup speaks, with its region as it was written; `en`
 * where there is none (D23).
 */
export function chooseLocale(candidates: readonly (string | undefined)[]): string {
  return candidates.find(findLanguage) ?? 'en';
}

/**
 * The first candidate's language that the popup speaks, whatever its region (`pt-BR`, `fr_CA`),
 * English otherwise (D23). What names no language is passed over (T22). Throws nothing.
 */
export function chooseLanguage(candidates: readonly (string | undefined)[]): Language {
  return findLanguage(chooseLocale(candidates))!;
}

/** Which way a language is written. */
export function directionOf(language: Language): 'ltr' | 'rtl' {
  return language === 'ar' ? 'rtl' : 'ltr';
}

function findLanguage(name = ''): Language | undefined {
  const primary = /^[a-z]{2}(?=[-_]|$)/i.exec(name)?.[0].toLowerCase();
  return LANGUAGES.find((language) => language === primary);
}
