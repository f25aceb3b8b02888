import { chooseLanguage, type Language } from '@service-pay/contract/languages';

import { en } from './en.ts';
import type { enScreens, Messages } from './en-screens.ts';

export type { Messages };

export interface Catalogue {
  language: Language;
  locale: string;
  words: Messages;
}

/** English, built in. The words for later screens are added before a session is reported. */
export const ENGLISH: Catalogue = { language: 'en', locale: 'en', words: en as Messages };

export function addEnglish({ problems, ...words }: typeof enScreens): void {
  Object.assign(ENGLISH.words, words);
  Object.assign(ENGLISH.words.problems, problems);
}

const LOADERS: Record<Exclude<Language, 'en'>, () => Promise<{ messages: Messages }>> = {
  fr: () => import('./fr.ts'),
  pt: () => import('./pt.ts'),
  sw: () => import('./sw.ts'),
  ar: () => import('./ar.ts'),
};

export async function loadCatalogue(name: string): Promise<Catalogue> {
  const language = chooseLanguage([name]);
  const locale = canonical(name) ?? language;
  return {
    language,
    locale,
    words: language === 'en' ? ENGLISH.words : (await LOADERS[language]()).messages,
  };
}

function canonical(name: string): string | undefined {
  try {
    return Intl.getCanonicalLocales(name.replaceAll('_', '-'))[0];
  } catch {
    return undefined;
  }
}
