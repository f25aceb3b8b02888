import { findExpiry, findExpiryProblem as findProblem } from '@service-pay/contract/card';

import type { Typed } from './number.ts';

export type ExpiryProblem = ReturnType<typeof findProblem> | 'expiry-missing';

/**
 * Inserts the slash after the month: `5` becomes `05/`, `1234` becomes `12/34`. Inserts nothing
 * while the customer deletes.
 */
export function formatExpiry({ text, caret }: Typed, isDeletion = false): Typed {
  if (isDeletion || caret < text.length) return { text, caret };
  const formatted = text
    .replace(/[^0-9/\-.\s]/g, (character) => (/\p{N}/u.test(character) ? character : ''))
    .replace(/^\s*([2-9])$/, '0$1')
    .replace(/^\s*([0-9])\s*[/\-.]/, '0$1/')
    .replace(/^\s*([0-9]{2})[/\-.\s]*/, '$1/')
    .slice(0, 7);
  return { text: formatted, caret: formatted.length };
}

/** Checks an expiry date at `now`, the service's time, by the service's own rule (T44). */
export function findExpiryProblem(text: string, now: string): ExpiryProblem | undefined {
  return text.trim() ? findProblem(text, Date.parse(now)) : 'expiry-missing';
}

/**
 * Returns the date in the service's format, `"12/34"`. Other text is returned as typed, for the
 * service to refuse.
 */
export function toWireExpiry(text: string): string {
  const expiry = findExpiry(text);
  return expiry
    ? `${String(expiry.month).padStart(2, '0')}/${String(expiry.year % 100).padStart(2, '0')}`
    : text;
}
