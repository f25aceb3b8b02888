import * as v from 'valibot';

/**
 * The most significant digits an amount may have, because a JavaScript number holds these exactly
 * (D6).
 */
const MOST_DIGITS = 15;

/**
 * Largest distance of a sum of floats from the decimal it means: a few last binary digits, or the
 * errors a long cart adds up to (D6).
 */
const BINARY_NOISE = { relative: 4 * Number.EPSILON, absolute: 1e-8 } as const;

/**
 * A decimal amount in major units as the service writes it, `"10.75"` (specification 2.3).
 * Readers also take `"10"` and `"10.5"`.
 */
export const decimalSchema = v.pipe(
  v.string(),
  v.regex(/^(?:0|[1-9][0-9]{0,17})(?:\.[0-9]{1,2})?$/, 'must be a decimal text such as "10.75"'),
);

/** An ISO 4217 currency code in three capitals (specification 2.1). */
export const currencySchema = v.pipe(
  v.string(),
  v.regex(/^[A-Z]{3}$/, 'must be three capital letters, such as "ZMW"'),
);

/**
 * Turns a page's `amount` into a decimal with two places. Returns undefined if it is no
 * number above 0, or has more than two decimals or 15 significant digits. `0.1 + 0.2` is `"0.30"`;
 * `1.005` is rejected, since it could mean 1.00 or 1.01.
 */
export function toDecimal(amount: unknown): string | undefined {
  let text: unknown = amount;
  if (typeof amount === 'number') {
    text = amount.toFixed(2);
    if (
      !(
        Math.abs(amount - Number(text)) <=
        Math.max(amount * BINARY_NOISE.relative, BINARY_NOISE.absolute)
      )
    )
      return undefined;
  }
  if (typeof text !== 'string' || !/^(?:0|[1-9][0-9]*)(?:\.[0-9]{1,2})?$/.test(text))
    return undefined;
  const decimal = withTwoPlaces(text);
  const digits = decimal
    .replace(/\.?0*$/, '')
    .replace('.', '')
    .replace(/^0+/, '');
  return digits && digits.length <= MOST_DIGITS ? decimal : undefined;
}

/**
 * Returns true if two decimals are the same amount: `"10"`, `"10.0"` and `"10.00"` are. Compares
 * digit by digit, at any size. Throws on a text that is no decimal.
 */
export function isSameAmount(one: string, other: string): boolean {
  return (
    withTwoPlaces(v.parse(decimalSchema, one)) === withTwoPlaces(v.parse(decimalSchema, other))
  );
}

/** Writes a decimal with exactly two places: `"10.5"` is `"10.50"`. */
export function withTwoPlaces(decimal: string): string {
  const [whole, places = ''] = decimal.split('.');
  return `${whole}.${places.padEnd(2, '0')}`;
}
