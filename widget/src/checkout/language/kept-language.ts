import { LANGUAGES, type Language } from '@service-pay/contract/languages';

const NAME = 'service-pay language';

/** Reads the language that a customer chose in this browser; nothing if storage is blocked (T33). */
export function readLanguage(storage: () => Storage): Language | undefined {
  try {
    const kept = storage().getItem(NAME);
    return LANGUAGES.find((language) => language === kept);
  } catch {
    return undefined;
  }
}

export function keepLanguage(storage: () => Storage, language: Language): void {
  try {
    storage().setItem(NAME, language);
  } catch {
    // Without storage the choice lasts as long as the frame.
  }
}
