import type { Language } from '@service-pay/contract/languages';

import type { LoadFailure } from './frame/load-failure.ts';

const NOT_PAID = 'You have not been charged.';
const SILENT = `The payment service does not respond. ${NOT_PAID}`;
const UNOPENED = `The payment form did not open. ${NOT_PAID}`;

/** The page's own words. Most of what customers read is in the frame. */
export const messages = {
  lang: 'en',
  dialog: 'Payment',
  frame: 'Secure payment',
  close: 'Close payment',
  pay: 'Pay',
  back: 'Back to the shop',
  retry: 'Try again',
  loading: 'Getting your payment ready…',
  slowLoading: 'Slow connection. You can close this; you have not been charged.',
  unconfirmed: 'Your payment is not confirmed yet. Please don’t pay again: the shop will confirm.',
  prepareFailed: `The shop could not prepare this payment. ${NOT_PAID}`,
  offline: `You are offline. ${NOT_PAID} We will try again when you are online.`,
  unreachable: SILENT,
  failing: `Something is wrong on our side. ${NOT_PAID}`,
  slow: UNOPENED,
  policy: `This page blocks the payment form. ${NOT_PAID} Please tell the shop.`,
  refused: UNOPENED,
  outdated: `This page’s payment script is too old. ${NOT_PAID} Please tell the shop.`,
  stopped: SILENT,
} satisfies Record<LoadFailure, string> & Record<string, string>;

export type Messages = Record<keyof typeof messages, string>;

/** Lists the candidates for the customer's language: the option, the page, the browser (D23). */
export function languagesFor(locale: string | undefined): (string | undefined)[] {
  return [locale, document.documentElement.lang, ...navigator.languages];
}

/**
 * Loads the page's words in a language from the service. A word that is missing or not a string
 * stays English, and so does everything if the file cannot be loaded: payment does not wait for
 * words.
 */
export async function loadMessages(service: string, language: Language): Promise<Messages> {
  if (language === 'en') return messages;
  const words: Messages = { ...messages };
  try {
    const response = await fetch(`${service}/js/v1/words/${language}.json`, {
      credentials: 'omit',
    });
    for (const [name, text] of Object.entries((await response.json()) as object)) {
      if (Object.hasOwn(messages, name) && typeof text === 'string')
        words[name as keyof Messages] = text;
    }
  } catch {
    // Blocked or broken: the words stay English.
  }
  return words;
}
