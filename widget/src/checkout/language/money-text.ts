import { chooseLanguage, directionOf } from '@service-pay/contract/languages';
import { buildMoneyFormat } from '@service-pay/contract/money-format';

/** Marks of direction that `Intl` puts into amounts of languages written from right to left. */
const MARKS = /[\u061c\u200e\u200f]/g;

/** Formats by what they are for: making one costs more than all that is done with it. */
const formats = new Map<string, Intl.NumberFormat>();

/**
 * A decimal amount as people read it, currency code first in English: `"10.75"`, `"ZMW"` is
 * `ZMW 10.75`. Goes from text to text, so that no float ever stands for money, and always shows two
 * places, so that no amount is rounded in sight. Its digits are those of cards and phones in every
 * language; in a text from right to left it keeps to its own direction.
 */
export function formatMoney(decimal: string, currency: string, locale: string): string {
  const key = `${locale} ${currency}`;
  const format = formats.get(key) ?? buildMoneyFormat(locale, currency);
  formats.set(key, format);
  const text = format.format(decimal as Intl.StringNumericLiteral).replaceAll('\u00a0', ' ');
  return directionOf(chooseLanguage([locale])) === 'rtl'
    ? `\u2066${text.replace(MARKS, '')}\u2069`
    : text;
}
