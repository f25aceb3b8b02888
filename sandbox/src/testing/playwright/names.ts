import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { LANGUAGES, type Language } from '@service-pay/contract/languages';

export const QUESTIONS = ['typed', 'prompt', 'challenge', 'code', 'unknown'] as const;
export type Question = (typeof QUESTIONS)[number];

type Names = Readonly<
  Record<
    | 'dialog'
    | 'frame'
    | 'close'
    | 'language'
    | 'card'
    | 'mobileMoney'
    | 'cardNumber'
    | 'expiryDate'
    | 'securityCode'
    | 'nameOnCard'
    | 'streetAddress'
    | 'city'
    | 'state'
    | 'postalCode'
    | 'billingCountry'
    | 'phoneNumber'
    | 'pay'
    | 'oneTimeCode'
    | 'confirm'
    | 'promptTitle'
    | 'challengeFrame'
    | 'notSent'
    | 'successTitle'
    | 'useAnother'
    | 'sendAgain'
    | 'stuckTitle'
    | `${'leave' | 'stay' | 'go'}-${Question}`,
    string
  >
>;
export type NameKey = keyof Names;

let published: Record<Language, Names> | undefined;

/**
 * Returns a name in each of `languages`. Throws if the installed widget was built without names.
 */
export function namesOf(key: NameKey, languages: readonly Language[] = LANGUAGES): string[] {
  published ??= readPublished();
  return languages.map((language) => published![language][key]);
}

/** Matches one or several whole names in any of `languages`. */
export function nameIn(key: NameKey | readonly NameKey[], languages?: readonly Language[]): RegExp {
  const names = [key].flat().flatMap((one) => namesOf(one as NameKey, languages));
  return new RegExp(`^(?:${names.map(escapePattern).join('|')})$`);
}

/** Matches text that starts with a name in any of `languages`. */
export function startIn(key: NameKey, languages?: readonly Language[]): RegExp {
  return new RegExp(`^(?:${namesOf(key, languages).map(escapePattern).join('|')})(?!\\p{L})`, 'u');
}

function readPublished(): Record<Language, Names> {
  const file = fileURLToPath(
    new URL(
      './dist/npm/accessible-names.json',
      import.meta.resolve('@service-pay/widget/package.json'),
    ),
  );
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Record<Language, Names>;
  } catch (cause) {
    throw new Error(
      'The installed @service-pay/widget has no accessible-names.json. Install the version of this sandbox, or build it.',
      {
        cause,
      },
    );
  }
}

/** Lets any space match any other: Playwright replaces the unbreakable ones of French. */
function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&').replace(/\s+/g, '\\s+');
}
