import { chooseLanguage, directionOf } from '@service-pay/contract/languages';
import { buildMoneyFormat } from '@service-pay/contract/money-format';

/** Marks of direction that `Intl` puts into amounts of right-to-left languages. */
const MARKS = /[\u061c\u200e\u200f]/g;

/**
 * Formats a decimal amount, in English with the currency code first: `"10.75"`, `"ZMW"` is `ZMW
 * 10.75`. Converts text to text, so that money is never a float. Its digits are those of cards and
 * phones in every language, and it keeps its own direction in right-to-left text.
 */
export function formatMoney(decimal: string, currency: string, locale: string): string {
  const format = buildMoneyFormat(locale, currency, decimal);
  const text = format.format(decimal as Intl.StringNumericLiteral).replaceAll('\u00a0', ' ');
  return directionOf(chooseLanguage([locale])) === 'rtl'
    ? `\u2066${text.replace(MARKS, '')}\u2069`
    : text;
}

/** Returns an amount that does not wrap. */
export function keepTogether(amount: string): string {
  return amount.replaceAll(' ', '\u00a0');
}
