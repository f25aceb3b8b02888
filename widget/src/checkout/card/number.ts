import { findCardNumber } from '@service-pay/contract/card';
import { toPlainDigits } from '@service-pay/contract/plain-digits';
import { type Typed, toPlainTyped } from '@service-pay/contract/typed';
import { CARD_GAPS, groupDigits } from '@service-pay/contract/typed-attempt';
import { findBrand } from './brand.ts';

export type Deletion = 'backward' | 'forward' | undefined;

/**
 * More digits than any card has are kept up to here, so that the check rejects them instead of a
 * silent cut (T44).
 */
const KEPT_DIGITS = 32;

/** Returns the digits as 0–9, without what people type between them. */
export function digitsOf(text: string): string {
  return toPlainDigits(text).replace(/[^0-9]/g, '');
}

/** Checks a number by the service's own rule and its brand's lengths (T44). */
export function isCardNumber(text: string): boolean {
  const digits = findCardNumber(text);
  const lengths = digits && findBrand(digits)?.lengths;
  return digits !== undefined && (!lengths || lengths.includes(digits.length));
}

/**
 * Inserts the brand's gaps and keeps the caret after the same digit. Deleting a gap deletes the
 * digit beside it: `before` is the text before the key. Text with other numerals, such as ², is
 * left alone, so that nobody pays with a number other than the one shown.
 */
export function formatCardNumber(typed: Typed, before = '', deletion?: Deletion): Typed {
  const { text, caret } = toPlainTyped(typed);
  if (hasOtherNumerals(text)) return { text, caret };
  let digits = digitsOf(text);
  let place = digitsOf(text.slice(0, caret)).length;
  if (deletion && digits === digitsOf(before)) {
    if (deletion === 'backward' && place) place -= 1;
    digits = digits.slice(0, place) + digits.slice(place + 1);
  }
  digits = digits.slice(0, KEPT_DIGITS);
  const gaps = findBrand(digits)?.gaps ?? CARD_GAPS;
  const gapsBefore = (count: number) => gaps.filter((gap) => gap < count).length;
  return {
    text: groupDigits(digits, gaps),
    caret: Math.min(place, digits.length) + gapsBefore(place),
  };
}

/** A card's number and its date, then perhaps its code, with other text around them. */
const PASTED_CARD =
  /^[^0-9]*([0-9](?:[ -]?[0-9]){11,18})[^0-9]+((?:0?[1-9]|1[0-2]) ?[/-] ?(?:20)?[0-9]{2})(?:[^0-9]+([0-9]{3,4}))?[^0-9]*$/;

/** Reads a pasted card of number and date, such as `4242 4242 4242 4242 12/34`. */
export function findPastedCard(
  text: string,
): { number: string; expiry: string; securityCode: string } | undefined {
  const [, number, expiry, securityCode = ''] = PASTED_CARD.exec(toPlainDigits(text)) ?? [];
  return number && expiry ? { number, expiry, securityCode } : undefined;
}

function hasOtherNumerals(text: string): boolean {
  return /(?![0-9])\p{N}/u.test(text);
}
