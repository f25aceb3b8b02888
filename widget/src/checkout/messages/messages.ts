import { en, type Messages } from './en.ts';

/** A language the frame speaks, and the locale its amounts are written in. */
export interface Language {
  words: Messages;
  locale: string;
}

const LANGUAGES: Record<string, Messages> = { en };

/** The first of `wanted` that the frame speaks, English otherwise. A text that names no language is passed over (D23, T22). */
export function findLanguage(wanted: readonly (string | undefined)[]): Language {
  for (const name of wanted) {
    const locale = canonical(name);
    const words = locale && new Map(Object.entries(LANGUAGES)).get(new Intl.Locale(locale).language);
    if (words) return { words, locale };
  }
  return { words: en, locale: 'en' };
}

function canonical(name: string | undefined): string | undefined {
  try {
    return name ? Intl.getCanonicalLocales(name)[0] : undefined;
  } catch {
    return undefined;
  }
}
