import type { PaymentRequest } from '@service-pay/contract/payment-request-schema';
import {
  type AttemptOf,
  BILLING_FIELDS,
  type BillingField,
  toCardAttempt,
} from '@service-pay/contract/typed-attempt';
import type { FieldProblems } from '../flow/call-failure.ts';
import { findBrand, fullLengthOf } from './brand.ts';
import { findExpiryProblem } from './expiry.ts';
import { digitsOf, isCardNumber } from './number.ts';

export const CARD_FIELDS = ['number', 'expiry', 'securityCode', 'name'] as const;
export type CardField = (typeof CARD_FIELDS)[number];

/** With the billing address, in their order on screen. */
export const CARD_FORM_FIELDS: readonly string[] = [...CARD_FIELDS, ...BILLING_FIELDS];

/** The typed card. Lives in memory only, and outlives the form that shows it. */
export interface CardDraft extends Record<CardField | BillingField, string> {
  needed: readonly BillingField[];
  sentNumber: string;
  /** The digits of the number that date and code were typed for. */
  typedFor: Readonly<Partial<Record<CardField | BillingField, string>>>;
}

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
    sentNumber: '',
    typedFor: {},
  };
}

/**
 * Finds every field that cannot be sent, at the service's time `now`. `accepted` lists the
 * merchant's brands, if known.
 */
export function checkCard(
  draft: CardDraft,
  now: string,
  accepted?: readonly string[],
): FieldProblems {
  const codes: Partial<Record<CardField | BillingField, string | undefined>> = {
    number: findNumberProblem(draft.number, accepted),
    expiry: findExpiryProblem(draft.expiry, now),
    securityCode: findCodeProblem(draft),
    name: draft.name.trim() ? undefined : 'name-missing',
  };
  for (const field of draft.needed) if (!draft[field].trim()) codes[field] = 'billing-required';
  const found: FieldProblems = {};
  for (const [field, code] of Object.entries(codes)) if (code) found[field] = { code };
  return found;
}

export function findNumberProblem(
  number: string,
  accepted: readonly string[] | undefined,
): string | undefined {
  const digits = digitsOf(number);
  if (!number.trim()) return 'card-number-missing';
  if (isOtherBrand(digits, accepted)) return 'card-brand-not-accepted';
  if (isCardNumber(number)) return undefined;
  return digits.length > fullLengthOf(digits) ? 'card-number-too-long' : 'card-number-invalid';
}

export function requireBilling(draft: CardDraft, problems: FieldProblems): void {
  draft.needed = BILLING_FIELDS.filter(
    (field) => draft.needed.includes(field) || problems[field]?.code === 'billing-required',
  );
}

/** Builds the attempt. The billing address is sent only if the card needs it. */
export function buildCardAttempt(draft: CardDraft): AttemptOf<'card'> {
  return toCardAttempt(draft, draft.needed.length ? draft : undefined);
}

function isOtherBrand(digits: string, accepted: readonly string[] | undefined): boolean {
  const brand = digits.length >= 4 && findBrand(digits);
  return Boolean(brand && accepted && !accepted.includes(brand.type));
}

function findCodeProblem({ number, securityCode }: CardDraft): string | undefined {
  const code = securityCode.trim();
  if (!code) return 'security-code-missing';
  const length = findBrand(digitsOf(number))?.codeLength;
  if (!length) return /^[0-9]{3,4}$/.test(code) ? undefined : 'security-code-invalid';
  if (new RegExp(`^[0-9]{${length}}$`).test(code)) return undefined;
  return length === 4 ? 'security-code-of-4' : 'security-code-of-3';
}
