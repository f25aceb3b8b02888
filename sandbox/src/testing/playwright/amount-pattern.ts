/**
 * Matches an amount in any language's format: grouped or not, with a point or comma, in Arabic
 * digits too; a whole amount with or without decimals.
 */
export function amountPattern(amount: string | number): RegExp {
  const [whole = '', cents = '00'] = (
    typeof amount === 'number' ? amount.toFixed(2) : amount
  ).split('.');
  const decimals = `[.,\\u066b]${digits(cents.padEnd(2, '0'), '')}`;
  const end = Number(cents) ? decimals : `(?:${decimals}|${NO_DECIMALS})`;
  return new RegExp(`(?<!\\p{Nd}${GROUPING})${digits(whole, GROUPING)}${end}(?!\\p{Nd})`, 'u');
}

/** The end of an amount in a currency without decimals. */
const NO_DECIMALS = "(?![\\s.,'’\\u066b\\u066c]\\p{Nd})";
const GROUPING = "[\\s.,'’\\u066c]?";
const ARABIC_ZERO = 0x660;

function digits(text: string, between: string): string {
  return [...text]
    .map((digit) => `[${digit}${String.fromCharCode(ARABIC_ZERO + Number(digit))}]`)
    .join(between);
}
