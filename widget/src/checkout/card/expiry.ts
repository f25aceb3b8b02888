import type { Typed } from './number.ts';

/** The month and year on a card. */
export interface Expiry {
  month: number;
  year: number;
}

/** Why an expiry date cannot be taken. */
export type ExpiryProblem = 'expiry-missing' | 'expiry-invalid' | 'expiry-past';

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

/** Reads `12/34`, `1234`, `12 / 2034` and the like; undefined for anything else. */
export function findExpiry(text: string): Expiry | undefined {
  const found =
    /^\s*(0?[1-9]|1[0-2])(?:\s*[/\-.]\s*|\s+)([0-9]{2}|20[0-9]{2})\s*$/.exec(text) ??
    /^(0[1-9]|1[0-2])([0-9]{2})$/.exec(text);
  return found ? { month: Number(found[1]), year: 2000 + (Number(found[2]) % 100) } : undefined;
}

/**
 * What is wrong with an expiry date at `now`, the service's time. A card is good to the end of its
 * month (T44).
 */
export function findExpiryProblem(text: string, now: string): ExpiryProblem | undefined {
  if (!text.trim()) return 'expiry-missing';
  const expiry = findExpiry(text);
  if (!expiry) return 'expiry-invalid';
  const today = new Date(now);
  const monthsLeft =
    (expiry.year - today.getUTCFullYear()) * 12 + expiry.month - (today.getUTCMonth() + 1);
  return monthsLeft < 0 ? 'expiry-past' : undefined;
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
