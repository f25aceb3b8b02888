import { findExpiry, findExpiryProblem as findProblem } from '@service-pay/contract/card';
import { toPlainDigits } from '@service-pay/contract/plain-digits';
import { type Typed, toPlainTyped } from '@service-pay/contract/typed';
import { toWireExpiry } from '@service-pay/contract/typed-attempt';

export type ExpiryProblem = ReturnType<typeof findProblem> | 'expiry-missing';

/** A year, which no month can be, and the two digits of a month. */
const YEAR_FIRST = /^(?:20[0-9]{2}|[2-9][0-9])\/?(?:0[1-9]|1[0-2])$/;

/**
 * Inserts the slash after the month: `12` becomes `12/`, `534` becomes `05/34`, `134` `01/34`. Puts the month first
 * once it is complete: `2034-12` becomes `12/34`. Inserts nothing while the customer deletes.
 */
export function formatExpiry(typed: Typed, isDeletion = false): Typed {
  const { text, caret } = toPlainTyped(typed);
  if (isDeletion || caret < text.length) return { text, caret };
  const formatted = text
    .replace(/[\p{L}\p{M}]/gu, '')
    .replace(/[^\p{N}]+/gu, '/')
    .replace(/^\//, '')
    .replace(/^([0-9])\//, '0$1/')
    .replace(/^1([3-9])\/?/, '01/$1')
    .replace(/^([01][0-9])\/?/, '$1/')
    .replace(/^(?!20)([2-9])([0-9]{2})$/, '0$1/$2')
    .replace(YEAR_FIRST, toWireExpiry);
  return { text: formatted, caret: formatted.length };
}

/** Finds a date with the code after it, as in `12/34 123`. */
export function findPastedExpiry(
  text: string,
): { expiry: string; securityCode: string } | undefined {
  const [, date = '', securityCode = ''] =
    /^(\S.*[0-9])\s+([0-9]{3,4})$/.exec(toPlainDigits(text).trim()) ?? [];
  return findExpiry(date) ? { expiry: toWireExpiry(date), securityCode } : undefined;
}

/** Checks an expiry date at `now`, the service's time, by the service's own rule (T44). */
export function findExpiryProblem(text: string, now: string): ExpiryProblem | undefined {
  return text.trim() ? findProblem(text, Date.parse(now)) : 'expiry-missing';
}
