import { findCardNumber } from '@service-pay/contract/card';

import { findBrand } from './brand.ts';

/**
 * A text field at one moment: what stands in it, and how many characters stand before the caret.
 */
export interface Typed {
  text: string;
  caret: number;
}

/** Which way a key just took a character away. */
export type Deletion = 'backward' | 'forward' | undefined;

/**
 * More digits than any card has are kept as typed up to here, so that the check, and not a silent
 * cut, refuses them (T44).
 */
const MOST_DIGITS = 32;

const GAPS: readonly number[] = [4, 8, 12, 16];

/** The ASCII digits of what was typed, without the blanks and dashes people put between them. */
export function digitsOf(text: string): string {
  return text.replace(/[^0-9]/g, '');
}

/**
 * Tells whether a number can be a card's: the service's own rule, and a length its brand allows
 * (T44).
 */
export function isCardNumber(text: string): boolean {
  const digits = findCardNumber(text);
  const lengths = digits && findBrand(digits)?.lengths;
  return digits !== undefined && (!lengths || lengths.includes(digits.length));
}

/**
 * A card number just typed into, with its brand's gaps put in and the caret after the same digit as
 * before. Taking a gap away takes the digit beside it: `before` is what stood there until the key
 * was pressed. A text with digits of other scripts is left alone, so that nobody pays with a number
 * other than the one seen.
 */
export function formatCardNumber({ text, caret }: Typed, before = '', deletion?: Deletion): Typed {
  if (hasForeignDigits(text)) return { text, caret };
  let digits = digitsOf(text);
  let place = digitsOf(text.slice(0, caret)).length;
  if (deletion && digits === digitsOf(before)) {
    if (deletion === 'backward' && place) place -= 1;
    digits = digits.slice(0, place) + digits.slice(place + 1);
  }
  digits = digits.slice(0, MOST_DIGITS);
  const gaps = findBrand(digits)?.gaps ?? GAPS;
  const gapsBefore = (count: number) => gaps.filter((gap) => gap < count).length;
  const grouped = Array.from(digits, (digit, index) =>
    gaps.includes(index) ? ` ${digit}` : digit,
  ).join('');
  return { text: grouped, caret: Math.min(place, digits.length) + gapsBefore(place) };
}

function hasForeignDigits(text: string): boolean {
  return /(?![0-9])\p{N}/u.test(text);
}
