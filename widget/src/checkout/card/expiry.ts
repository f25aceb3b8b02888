import { findExpiry, findExpiryProblem as findProblem } from '@service-pay/contract/card';

import type { Typed } from './number.ts';

/** Why an expiry date cannot be taken. */
export type ExpiryProblem = ReturnType<typeof findProblem> | 'expiry-missing';

/**
 * An expiry date just typed into, with the slash put in after the month: `5` becomes `05/`, `1234`
 * becomes `12/34`. Nothing is put back while the customer deletes.
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

/** What is wrong with an expiry date at `now`, the service's time, by the service's rule (T44). */
export function findExpiryProblem(text: string, now: string): ExpiryProblem | undefined {
  return text.trim() ? findProblem(text, Date.parse(now)) : 'expiry-missing';
}

/**
 * An expiry date as the service takes it, `"12/34"`. A text that is no date goes out as typed, for
 * the service to refuse.
 */
export function toWireExpiry(text: string): string {
  const expiry = findExpiry(text);
  return expiry
    ? `${String(expiry.month).padStart(2, '0')}/${String(expiry.year % 100).padStart(2, '0')}`
    : text;
}
