/**
 * Matches an amount in any language's format: grouped or not, with a point or comma, in Arabic
 * digits too.
 */
export function amountPattern(amount: string | number): RegExp {
  const [whole = '', cents = '00'] = (
    typeof amount === 'number' ? amount.toFixed(2) : amount
  ).split('.');
  return new RegExp(
    `(?<!\\p{Nd}${GROUPING})${digits(whole, GROUPING)}[.,\\u066b]${digits(cents.padEnd(2, '0'), '')}(?!\\p{Nd})`,
    'u',
  );
}

const GROUPING = "[\\s.,'’\\u066c]?";
const ARABIC_ZERO = 0x660;

function digits(text: string, between: string): string {
  return [...text]
    .map((digit) => `[${digit}${String.fromCharCode(ARABIC_ZERO + Number(digit))}]`)
    .join(between);
}
