export interface Expiry {
  month: number;
  year: number;
}

export type ExpiryProblem = 'expiry-invalid' | 'expiry-past';

/**
 * Returns a card number as digits alone, without the spaces and dashes people put between them.
 * Returns undefined unless it has 13 to 19 digits and the right check digit. Digits of other
 * scripts are refused, so that nobody pays with a number other than the one on screen.
 */
export function findCardNumber(text: string): string | undefined {
  const digits = text.replace(/[\s-]/g, '');
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

/** Reads `12/34`, `1234`, `12 / 2034` and the like. Returns undefined for anything else. */
export function findExpiry(text: string): Expiry | undefined {
  const found =
    /^\s*(0?[1-9]|1[0-2])(?:\s*[/\-.]\s*|\s+)([0-9]{2}|20[0-9]{2})\s*$/.exec(text) ??
    /^\s*(0[1-9]|1[0-2])([0-9]{2})\s*$/.exec(text);
  return found ? { month: Number(found[1]), year: 2000 + (Number(found[2]) % 100) } : undefined;
}

/** Returns the problem with an expiry date at the time `now`, in milliseconds since 1970. */
export function findExpiryProblem(text: string, now: number): ExpiryProblem | undefined {
  const expiry = findExpiry(text);
  if (!expiry) return 'expiry-invalid';
  return now < goodUntil(expiry) ? undefined : 'expiry-past';
}

/**
 * Returns the end of a card's validity: noon UTC after its last month, when that has ended
 * everywhere on Earth.
 */
function goodUntil({ month, year }: Expiry): number {
  return Date.UTC(year, month, 1, 12);
}
