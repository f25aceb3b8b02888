import { chooseLanguage } from './languages.ts';

/** The most characters of an amount that a narrow sheet shows at full size. */
export const FULL_SIZE_FITS = 14;

/**
 * Builds the format of an amount on the page and in the frame: with the currency's code, two decimals,
 * or none for a whole amount where people write none (as in yen), and the digits of cards and phones
 * in every language. It formats a decimal text as it is, without going through a float. A locale that
 * `Intl` rejects is replaced by its language.
 */
export function buildMoneyFormat(
  locale: string,
  currency: string,
  amount: string,
): Intl.NumberFormat {
  const options = {
    style: 'currency',
    currency,
    currencyDisplay: 'code',
    numberingSystem: 'latn',
    minimumFractionDigits: Number(amount) % 1 ? 2 : undefined,
    maximumFractionDigits: 2,
  } as const;
  try {
    return new Intl.NumberFormat(locale.replaceAll('_', '-'), options);
  } catch {
    return new Intl.NumberFormat(chooseLanguage([locale]), options);
  }
}
