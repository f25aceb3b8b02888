import { chooseLanguage, type Language } from '@service-pay/contract/languages';

import { en } from './en.ts';
import type { enScreens } from './en-screens.ts';

/** The words of the frame, in any language: a word that is missing does not compile. */
export type Messages = typeof en & typeof enScreens;

/** What the frame speaks: a language, its words, and the locale its amounts are written in. */
export interface Catalogue {
  language: Language;
  locale: string;
  words: Messages;
}

/**
 * English, built in. What is said after the first form comes with its screens, and no session is
 * told of before them.
 */
export const ENGLISH: Catalogue = { language: 'en', locale: 'en', words: en as Messages };

/** Takes in the words of screens that have come. */
export function addEnglish(words: typeof enScreens): void {
  Object.assign(ENGLISH.words, words);
}

/** Every other language is a file of its own, asked for where a customer reads it. */
const LOADERS: Record<Exclude<Language, 'en'>, () => Promise<{ messages: Messages }>> = {
  fr: () => import('./fr.ts'),
  pt: () => import('./pt.ts'),
  sw: () => import('./sw.ts'),
  ar: () => import('./ar.ts'),
};

/** The catalogue of a locale's language. Rejects where its file cannot be had. */
export async function loadCatalogue(name: string): Promise<Catalogue> {
  const language = chooseLanguage([name]);
  const locale = canonical(name) ?? language;
  return {
    language,
    locale,
    words: language === 'en' ? ENGLISH.words : (await LOADERS[language]()).messages,
  };
}

/** A locale as `Intl` spells it; undefined for what it would not take. */
function canonical(name: string): string | undefined {
  try {
    return Intl.getCanonicalLocales(name.replaceAll('_', '-'))[0];
  } catch {
    return undefined;
  }
}
