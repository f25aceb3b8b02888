import type { CreateAttempt } from '@service-pay/contract/checkout-api';
import type { Billing, PaymentRequest } from '@service-pay/contract/payment-request-schema';
import { findCountry } from '../language/country.ts';
import type { FieldProblems } from '../parts/field.ts';
import { findBrand } from './brand.ts';
import { findExpiryProblem, toWireExpiry } from './expiry.ts';
import { digitsOf, isCardNumber } from './number.ts';

/** The fields of a card in the order they stand in. */
export const CARD_FIELDS = ['number', 'expiry', 'securityCode', 'name'] as const;
export type CardField = (typeof CARD_FIELDS)[number];

/** The fields of a billing address in the order they stand in. */
export const BILLING_FIELDS = ['streetAddress', 'city', 'state', 'postalCode', 'country'] as const;
export type BillingField = (typeof BILLING_FIELDS)[number];

/**
 * What a customer has typed of a card so far. Lives in memory alone and outlives the form that
 * shows it.
 */
export interface CardDraft extends Record<CardField | BillingField, string> {
  /** Billing fields the service has asked for; empty while the card needs none. */
  needed: readonly BillingField[];
}

/** A card form's start: the name and billing address the shop knows, everything else empty. */
export function buildCardDraft({
  customer = {},
  billing = {},
}: Pick<PaymentRequest, 'customer' | 'billing'>): CardDraft {
  const { streetAddress = '', city = '', state = '', postalCode = '', country = '' } = billing;
  const name = [customer.firstName, customer.lastName].filter(Boolean).join(' ');
  return {
    number: '',
    expiry: '',
    securityCode: '',
    name,
    streetAddress,
    city,
    state,
    postalCode,
    country,
    needed: [],
  };
}

/** Every field that cannot be sent as it stands, at the service's time `now`. */
export function checkCard(draft: CardDraft, now: string): FieldProblems {
  const { needed } = draft;
  const codeLength = findBrand(digitsOf(draft.number))?.codeLength;
  const problems: [string, string | false | undefined][] = [
    [
      'number',
      draft.number.trim()
        ? !isCardNumber(draft.number) && 'card-number-invalid'
        : 'card-number-missing',
    ],
    ['expiry', findExpiryProblem(draft.expiry, now)],
    [
      'securityCode',
      !(codeLength ? new RegExp(`^[0-9]{${codeLength}}$`) : /^[0-9]{3,4}$/).test(
        draft.securityCode.trim(),
      ) && codeProblem(codeLength),
    ],
    ['name', !draft.name.trim() && 'name-missing'],
    ...needed.map(
      (field) => [field, !draft[field].trim() && 'billing-required'] as [string, string | false],
    ),
    [
      'country',
      needed.length > 0 &&
        draft.country.trim() !== '' &&
        !findCountry(draft.country) &&
        'country-invalid',
    ],
  ];
  const found: FieldProblems = {};
  for (const [field, code] of problems) if (code) found[field] ??= { code };
  return found;
}

/**
 * Takes over which billing fields the service asked for, so that the form shows the address and
 * asks for those.
 */
export function askForBilling(draft: CardDraft, problems: FieldProblems): void {
  draft.needed = BILLING_FIELDS.filter(
    (field) => draft.needed.includes(field) || problems[field]?.code === 'billing-required',
  );
}

/** The attempt a draft makes. The billing address goes along only where the card needs it. */
export function buildCardAttempt(draft: CardDraft): AttemptOf<'card'> {
  const card = {
    number: draft.number,
    expiry: toWireExpiry(draft.expiry),
    securityCode: draft.securityCode.trim(),
    name: draft.name.trim(),
  };
  if (!draft.needed.length) return { channel: 'card', card };
  const billing: Billing = {};
  for (const field of BILLING_FIELDS) {
    const value = draft[field].trim();
    if (value) billing[field] = field === 'country' ? (findCountry(value) ?? value) : value;
  }
  return { channel: 'card', card, billing };
}

/** An attempt before it has an id. */
export type AttemptOf<Channel extends CreateAttempt['channel']> = Omit<
  Extract<CreateAttempt, { channel: Channel }>,
  'id'
>;
export type NewAttempt = AttemptOf<'card'> | AttemptOf<'mobile-money'>;

function codeProblem(codeLength: number | undefined): string {
  return codeLength === 4
    ? 'security-code-of-4'
    : codeLength === 3
      ? 'security-code-of-3'
      : 'security-code-invalid';
}
