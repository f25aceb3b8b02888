/**
 * The languages the popup speaks, by their primary subtags. English is built in; each other is
 * loaded when it is chosen.
 */
export const LANGUAGES = ['en', 'fr', 'pt', 'sw', 'ar'] as const;
export type Language = (typeof LANGUAGES)[number];

/**
 * Returns the first candidate in a language that the popup speaks, with its region as it was
 * written; `en` if there is none (D23).
 */
export function chooseLocale(candidates: readonly (string | undefined)[]): string {
  return candidates.find(findLanguage) ?? 'en';
}

/**
 * Returns the first candidate's language that the popup speaks, whatever its region (`pt-BR`,
 * `fr_CA`), otherwise English (D23). Skips what names no language (T22). Throws nothing.
 */
export function chooseLanguage(candidates: readonly (string | undefined)[]): Language {
  return findLanguage(chooseLocale(candidates))!;
}

export function directionOf(language: Language): 'ltr' | 'rtl' {
  return language === 'ar' ? 'rtl' : 'ltr';
}

function findLanguage(name = ''): Language | undefined {
  const primary = /^[a-z]+(?=[-_]|$)/i.exec(name)?.[0].toLowerCase();
  return LANGUAGES.find((language) => language === primary);
}
