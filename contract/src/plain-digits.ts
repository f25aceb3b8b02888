import { withoutInvisible } from './invisible.ts';

const FULL_WIDTH = /[\uff01-\uff5e]/g;
const FULL_WIDTH_OFFSET = 0xfee0;

/**
 * Reads a phone, card, date or code as it was pasted, typed or passed: the digits of every script as
 * 0–9, every space as a blank, every dash as a hyphen, full-width signs as ASCII, and none of the
 * invisible characters that contacts and chats copy along (T128).
 */
export function toPlainDigits(text: string): string {
  return withoutInvisible(text)
    .replace(FULL_WIDTH, (sign) => String.fromCharCode(sign.charCodeAt(0) - FULL_WIDTH_OFFSET))
    .replace(/\s/g, ' ')
    .replace(/[\p{Pd}\u2212]/gu, '-')
    .replace(/(?![0-9])\p{Nd}/gu, toAscii);
}

/** Returns plain digits without the blanks and hyphens between them. */
export function withoutGaps(text: string): string {
  return toPlainDigits(text).replace(/[ -]/g, '');
}

/** Unicode keeps the ten digits of a script in order, so a digit is its distance from the first. */
function toAscii(digit: string): string {
  const code = digit.codePointAt(0)!;
  let value = 0;
  while (/\p{Nd}/u.test(String.fromCodePoint(code - value - 1))) value++;
  return `${value % 10}`;
}
