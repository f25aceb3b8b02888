import { findExpiry } from './card.ts';
import type { Card, CreateAttempt } from './checkout-api.ts';
import type { Billing } from './payment-request-schema.ts';

/** An attempt as a form makes it, before it has an id. */
export type AttemptOf<Channel extends CreateAttempt['channel']> = Omit<
  Extract<CreateAttempt, { channel: Channel }>,
  'id'
>;

export const BILLING_FIELDS = ['streetAddress', 'city', 'state', 'postalCode', 'country'] as const;
export type BillingField = (typeof BILLING_FIELDS)[number];

/** The positions of the blanks in the number of a card, unless its brand has others. */
export const CARD_GAPS: readonly number[] = [4, 8, 12, 16];

/**
 * Builds an attempt of a card as it was typed, its number in groups. A billing address is sent only
 * if the card needs it.
 */
export function toCardAttempt(typed: Card, billing?: Record<BillingField, string>) {
  const card = {
    number: typed.number,
    expiry: toWireExpiry(typed.expiry),
    securityCode: typed.securityCode.trim(),
    name: typed.name.trim(),
  };
  const attempt: AttemptOf<'card'> = { channel: 'card', card };
  return billing ? { ...attempt, billing: toBilling(billing) } : attempt;
}

/** Builds an attempt of a phone as it was typed, which `groupPhone` has put in groups. */
export function toPhoneAttempt(operator: string, phone: string): AttemptOf<'mobile-money'> {
  return { channel: 'mobile-money', mobileMoney: { operator, phone: phone.trim() } };
}

/**
 * Returns the date in the service's format, `"12/34"`. Other text is returned as typed, for the
 * service to reject.
 */
export function toWireExpiry(text: string): string {
  const expiry = findExpiry(text);
  return expiry
    ? `${String(expiry.month).padStart(2, '0')}/${String(expiry.year % 100).padStart(2, '0')}`
    : text;
}

/** Writes digits with a blank at each of `gaps`. */
export function groupDigits(digits: string, gaps: readonly number[]): string {
  return Array.from(digits, (digit, index) => (gaps.includes(index) ? ` ${digit}` : digit)).join(
    '',
  );
}

function toBilling(typed: Record<BillingField, string>): Billing {
  const billing: Billing = {};
  for (const field of BILLING_FIELDS) {
    const value = typed[field].trim();
    if (value) billing[field] = value;
  }
  return billing;
}
