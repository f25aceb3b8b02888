import { decimalsOf } from './currency.ts';
import { chooseLanguage } from './languages.ts';

/**
 * Builds the format of amounts on the page and in the frame: with the currency's code, two decimals
 * or, for a whole amount of a currency without decimals, none (D48), and the digits of cards and
 * phones in every language. It formats a decimal text as it is, without going through a float, and
 * never rounds. A locale that `Intl` refuses is replaced by its language.
 */
export function buildMoneyFormat(locale: string, currency: string): Intl.NumberFormat {
  const options = {
    style: 'currency',
    currency,
    currencyDisplay: 'code',
    numberingSystem: 'latn',
    minimumFractionDigits: 2,
    maximumFractionDigits: 2,
    trailingZeroDisplay: decimalsOf(currency) ? 'auto' : 'stripIfInteger',
  } as const;
  try {
    return new Intl.NumberFormat(locale.replaceAll('_', '-'), options);
  } catch {
    return new Intl.NumberFormat(chooseLanguage([locale]), options);
  }
}
