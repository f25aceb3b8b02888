/**
 * A decimal amount as people read it, currency code first in English: `"10.75"`, `"ZMW"` is `ZMW 10.75`. Goes from text to text,
 * so that no float ever stands for money, and always shows two places, so that no amount is rounded in sight.
 */
export function formatMoney(decimal: string, currency: string, locale: string): string {
  const format = new Intl.NumberFormat(locale, {
    style: 'currency',
    currency,
    currencyDisplay: 'code',
    minimumFractionDigits: 2,
    maximumFractionDigits: 2,
  });
  return format.format(decimal as Intl.StringNumericLiteral).replaceAll('\u00a0', ' ');
}
