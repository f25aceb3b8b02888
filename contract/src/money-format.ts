import { chooseLanguage } from './languages.ts';

/**
 * Builds the format of amounts on the page and in the frame: with the currency's code, the decimals
 * that people write in that currency (none in yen), and the digits of cards and phones in
 * every language. It formats a decimal text as it is, without going through a float, and never rounds
 * one of two decimals. A locale that `Intl` refuses is replaced by its language.
 */
export function buildMoneyFormat(locale: string, currency: string): Intl.NumberFormat {
  const options = {
    style: 'currency',
    currency,
    currencyDisplay: 'code',
    numberingSystem: 'latn',
    maximumFractionDigits: 2,
  } as const;
  try {
    return new Intl.NumberFormat(locale.replaceAll('_', '-'), options);
  } catch {
    return new Intl.NumberFormat(chooseLanguage([locale]), options);
  }
}
