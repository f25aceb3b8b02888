import { chooseLanguage, type Language } from '@service-pay/contract/languages';

import type { Messages } from './all-words.ts';
import { en, type FirstWords } from './en.ts';

export type { FirstWords, Messages };

export interface Catalogue {
  language: Language;
  locale: string;
  words: FirstWords;
}

/** English, built in. `all-words.ts` adds the words of later screens before a session is reported. */
export const ENGLISH: Catalogue = { language: 'en', locale: 'en', words: en };

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
