import { type Typed, toPlainTyped } from '../parts/typed.ts';

const MOST_DIGITS = 11;

/**
 * Groups a phone number as people read it, `096 111 1111`, and keeps the caret after the same
 * digit. Removes the calling code, which is shown before the field. Only reads the digits of numbers
 * of other countries and other text.
 */
export function groupPhone(typed: Typed, callingCode: string): Typed {
  const { text, caret } = toPlainTyped(typed);
  const compact = text.replace(/[ \-().]/g, '');
  const [, international = '', digits = ''] = /^(\+|00)?([0-9]*)$/.exec(compact) ?? [];
  const isOwn = callingCode !== '' && digits.startsWith(callingCode);
  if (!digits || (international && !isOwn)) return { text, caret };
  const cut = isOwn && (international || digits.length > MOST_DIGITS - 1) ? callingCode.length : 0;
  const national = digits.slice(cut);
  if (national.length > MOST_DIGITS) return { text, caret };
  const first = national.startsWith('0') ? 3 : 2;
  const gaps = [first, first + 3];
  const before = text.slice(0, caret).replace(/[^0-9]/g, '').length;
  const zeros = international === '00' ? 2 : 0;
  const place = Math.min(Math.max(0, before - cut - zeros), national.length);
  const grouped = Array.from(national, (digit, index) =>
    gaps.includes(index) ? ` ${digit}` : digit,
  ).join('');
  return { text: grouped, caret: place + gaps.filter((gap) => gap < place).length };
}
