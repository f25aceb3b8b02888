import { LANGUAGES, type Language } from '@service-pay/contract/languages';

import { en } from './checkout/language/messages/en.ts';
import { enScreens } from './checkout/language/messages/en-screens.ts';
import type { Messages as FrameMessages } from './checkout/language/messages/messages.ts';
import { type Messages as PageMessages, messages as pageEnglish } from './inline/messages.ts';

/**
 * The accessible names of what a customer sees, in each language: `@service-pay/widget` publishes
 * them as `accessible-names.json` for tests.
 */
export async function collectAccessibleNames(): Promise<Record<Language, Record<string, string>>> {
  const entries = await Promise.all(
    LANGUAGES.map(async (language) => [language, nameAll(...(await wordsOf(language)))] as const),
  );
  return Object.fromEntries(entries) as Record<Language, Record<string, string>>;
}

async function wordsOf(language: Language): Promise<[PageMessages, FrameMessages]> {
  if (language === 'en') {
    const problems = { ...en.problems, ...enScreens.problems };
    return [pageEnglish, { ...en, ...enScreens, problems }];
  }
  const [page, frame] = await Promise.all(
    ['inline', 'checkout/language'].map(
      (part) =>
        import(`./${part}/messages/${language}.ts`) as Promise<{
          messages: unknown;
        }>,
    ),
  );
  return [page?.messages as PageMessages, frame?.messages as FrameMessages];
}

function nameQuestion(
  about: string,
  { title, stay, leave }: { title: string; stay: string; leave: string },
): Record<string, string> {
  return { [`leave-${about}`]: title, [`stay-${about}`]: stay, [`go-${about}`]: leave };
}

function nameAll(page: PageMessages, frame: FrameMessages): Record<string, string> {
  return {
    dialog: page.dialog,
    frame: page.frame,
    close: page.close,
    language: frame.language,
    card: frame.channels.card,
    mobileMoney: frame.channels['mobile-money'],
    cardNumber: frame.cardNumber,
    expiryDate: frame.expiryDate,
    securityCode: frame.securityCode,
    nameOnCard: frame.nameOnCard,
    streetAddress: frame.streetAddress,
    city: frame.city,
    state: frame.state,
    postalCode: frame.postalCode,
    billingCountry: frame.country,
    phoneNumber: frame.phoneNumber,
    // The words before the amount.
    pay: frame.pay('').trim(),
    oneTimeCode: frame.code,
    confirm: frame.confirm,
    promptTitle: frame.promptTitle,
    challengeFrame: frame.challengeFrame,
    notSent: frame.notSent,
    successTitle: frame.successTitle,
    useAnother: frame.useAnotherOrCard,
    sendAgain: frame.sendAgain,
    stuckTitle: frame.stuckTitle,
    ...nameQuestion('typed', frame.leavingTyped),
    ...nameQuestion('prompt', frame.leaving.prompt),
    ...nameQuestion('challenge', frame.leaving.challenge),
    ...nameQuestion('code', frame.leaving.code),
    ...nameQuestion('unknown', frame.leaving.unknown),
  };
}
