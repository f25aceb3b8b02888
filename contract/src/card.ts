import { toPlainDigits, withoutGaps } from './plain-digits.ts';

export interface Expiry {
  month: number;
  year: number;
}

export type ExpiryProblem = 'expiry-invalid' | 'expiry-past';

/**
 * Returns a card number as digits alone, without the spaces and dashes people put between them.
 * Returns undefined unless it has 13 to 19 digits and the right check digit.
 */
export function findCardNumber(text: string): string | undefined {
  const digits = withoutGaps(text);
  return /^[0-9]{13,19}$/.test(digits) && hasCheckDigit(digits) ? digits : undefined;
}

/**
 * Returns true if a text of digits passes Luhn's check: every second digit from the right doubles.
 */
export function hasCheckDigit(digits: string): boolean {
  let sum = 0;
  for (let index = 0; index < digits.length; index++) {
    const value = Number(digits[digits.length - 1 - index]) * (index % 2 ? 2 : 1);
    sum += value > 9 ? value - 9 : value;
  }
  return sum % 10 === 0;
}

/**
 * Reads a month and a year, with any separator or none: `12/34`, `1234`, `12 / 2034`, `2034-12`,
 * `203412`. The month may follow only if the text cannot be read with the month first, as it is on
 * cards (T128). Returns undefined for anything else.
 */
export function findExpiry(text: string): Expiry | undefined {
  const [one = '', other, ...rest] = toPlainDigits(text)
    .trim()
    .split(/[^\p{L}\p{N}]+/u);
  if (rest.length) return undefined;
  if (other === undefined)
    return toExpiry(one.slice(0, 2), one.slice(2)) ?? toExpiry(one.slice(-2), one.slice(0, -2));
  const isCutOff = one.length + other.length < 4; // `12/3` is not March 2012
  return toExpiry(one, other) ?? (isCutOff ? undefined : toExpiry(other, one));
}

/** Returns the problem with an expiry date at the time `now`, in milliseconds since 1970. */
export function findExpiryProblem(text: string, now: number): ExpiryProblem | undefined {
  const expiry = findExpiry(text);
  if (!expiry) return 'expiry-invalid';
  return now < goodUntil(expiry) ? undefined : 'expiry-past';
}

function toExpiry(month: string, year: string): Expiry | undefined {
  return /^(?:0?[1-9]|1[0-2])$/.test(month) && /^(?:20)?[0-9]{2}$/.test(year)
    ? { month: Number(month), year: 2000 + (Number(year) % 100) }
    : undefined;
}

/**
 * Returns the end of a card's validity: noon UTC after its last month, when that has ended
 * everywhere on Earth.
 */
function goodUntil({ month, year }: Expiry): number {
  return Date.UTC(year, month, 1, 12);
}
