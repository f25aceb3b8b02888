import { type Typed, toPlainTyped } from './typed.ts';
import { groupDigits } from './typed-attempt.ts';

const MOST_DIGITS = 11;

const GAPS: readonly number[] = [2, 5];

/**
 * Groups a phone number as people read it behind its calling code, `96 111 1111`, and keeps the caret
 * after the same digit. Removes the calling code and the 0 that it replaces. Only reads the digits of
 * numbers of other countries and other text.
 */
export function groupPhone(typed: Typed, callingCode: string): Typed {
  const { text, caret } = toPlainTyped(typed);
  const compact = compactOf(text);
  const [, international = '', digits = ''] = /^(\+|00)?([0-9]*)$/.exec(compact) ?? [];
  const isOwn = callingCode !== '' && digits.startsWith(callingCode);
  if (!digits || (international && !isOwn)) return { text, caret };
  const cut = isOwn && (international || digits.length > MOST_DIGITS - 1) ? callingCode.length : 0;
  const trunk = /^0[0-9]/.test(digits.slice(cut)) ? 1 : 0;
  const national = digits.slice(cut + trunk);
  if (national.length > MOST_DIGITS) return { text, caret };
  const before = text.slice(0, caret).replace(/[^0-9]/g, '').length;
  const zeros = international === '00' ? 2 : 0;
  const place = Math.min(Math.max(0, before - cut - trunk - zeros), national.length);
  return {
    text: groupDigits(national, GAPS),
    caret: place + GAPS.filter((gap) => gap < place).length,
  };
}

/** Checks if a number names another country than `callingCode`. */
export function isOfOtherCountry(phone: string, callingCode: string): boolean {
  const [, digits] = /^(?:\+|00)([0-9]+)$/.exec(compactOf(phone)) ?? [];
  return digits !== undefined && !digits.startsWith(callingCode) && !callingCode.startsWith(digits);
}

/** Returns the only phone number in a pasted text, such as `Mary: 0961111111`. */
export function findPastedPhone(text: string): string | undefined {
  const found = toPlainTyped({ text, caret: 0 }).text.match(/\+?[0-9](?:[ \-().]*[0-9]){7,}/g);
  return found?.length === 1 ? found[0] : undefined;
}

function compactOf(text: string): string {
  return text.replace(/[ \-().]/g, '');
}
