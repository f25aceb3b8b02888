import { findCardNumber, findExpiryProblem } from '@service-pay/contract/card';
import type { Card, CardBrand, FieldProblemCode } from '@service-pay/contract/checkout-api';
import type { CardDetails } from '@service-pay/contract/collection';
import type { FieldProblem } from '@service-pay/contract/envelope';
import { cutToShown } from '@service-pay/contract/payment-request';
import type { Billing } from '@service-pay/contract/payment-request-schema';
import { withoutGaps } from '@service-pay/contract/plain-digits';

import { type Outcome, TEST_CARDS } from './outcomes.ts';

export interface TakenCard {
  readonly outcome: Outcome;
  readonly details: CardDetails;
}

const SECURITY_CODE_PATTERN = /^[0-9]{3}$/;

/** Names are stored and shown, so a card number typed there is rejected. */
const CARD_NUMBER_INSIDE = /(?:\p{Nd}[^\p{L}\p{Nd}]*){12}/u;

const EXPIRY_MESSAGES = {
  'expiry-invalid': 'Enter the expiry date as month and year, such as 12/34.',
  'expiry-past': 'This card has expired.',
} as const;

/** Reads a submitted card, or names every invalid field. No message repeats a value. */
export function readCard(
  card: Card,
  billing: Billing | undefined,
  { now, cardBrands }: { now: number; cardBrands: readonly CardBrand[] },
): TakenCard | FieldProblem[] {
  const problems: FieldProblem[] = [];
  const problem = (path: string, code: FieldProblemCode, message: string) =>
    problems.push({ path, code, message });

  const number = findCardNumber(card.number);
  const row = TEST_CARDS.find((one) => one.number === number);
  if (!number) {
    problem('card.number', 'card-number-invalid', 'This is not a card number. Check its digits.');
  } else if (!row) {
    problem(
      'card.number',
      'card-not-a-test-card',
      'Only test cards work here, such as 4242 4242 4242 4242. Never use a real card.',
    );
  } else if (!cardBrands.includes(row.cardType)) {
    problem(
      'card.number',
      'card-brand-not-accepted',
      `This merchant does not accept ${row.cardType} cards. Use another card.`,
    );
  }

  const expiry = findExpiryProblem(card.expiry, now);
  if (expiry) problem('card.expiry', expiry, EXPIRY_MESSAGES[expiry]);

  if (!SECURITY_CODE_PATTERN.test(withoutGaps(card.securityCode))) {
    problem(
      'card.securityCode',
      'security-code-invalid',
      'Enter the three digits on the back of the card.',
    );
  }

  const name = card.name.trim().replace(/\s+/g, ' ');
  if (!name || CARD_NUMBER_INSIDE.test(name))
    problem('card.name', 'name-missing', 'Enter the name on the card, not its number.');

  if (row?.first === 'billing-address') {
    for (const [member, words] of missingBilling(billing)) {
      problem(
        `billing.${member}`,
        'billing-required',
        `This card needs the ${words} of the billing address.`,
      );
    }
  }
  if (problems.length || !row || !number) return problems;

  const [firstName = '', ...others] = name.split(' ');
  const details: CardDetails = {
    firstName: cutToShown(firstName),
    lastName: cutToShown(others.join(' ')) || null,
    bin: number.slice(0, 6),
    last4: number.slice(-4),
    cardType: row.cardType,
  };
  const { first, answeredAfterMs, end } = row;
  return { outcome: { ...(first && { first }), answeredAfterMs, end }, details };
}

function missingBilling(billing: Billing = {}): [string, string][] {
  const needed: [keyof Billing, string][] = [
    ['streetAddress', 'street'],
    ['city', 'city'],
    ['postalCode', 'postal code'],
    ['country', 'country'],
  ];
  if (/^(?:us|ca)$/i.test(billing.country ?? '')) needed.push(['state', 'state or province']);
  return needed.filter(([member]) => !billing[member]?.trim());
}
