import { withoutInvisible } from './invisible.ts';

export const CHANNELS = ['card', 'mobile-money'] as const;

export interface MemberRule {
  /** Without flags: a JSON Schema has no place for them. */
  readonly pattern: RegExp;
  readonly expected: string;
  readonly required?: true;
  /** Reads the text before the pattern is applied. */
  readonly read?: (text: string) => string;
}

export const TEXT: MemberRule = {
  pattern: /^[\s\S]{0,16384}$/,
  expected: 'a text of at most 16384 characters',
};

/**
 * The rules of every text field, for the page, the frame and the servers (specification 2.1,
 * D4–D10, D27). A plain table and not a schema, so that the script on the merchant's page stays
 * small.
 */
export const REQUEST_RULES = {
  key: {
    required: true,
    pattern: /^(?![Ss][Ee][Cc]_|[Ss][Kk]_)[!-~]{1,128}$/,
    expected: 'your public key (pub_…); the secret API token never belongs in a page',
  },
  email: {
    required: true,
    read: withoutInvisible,
    pattern: /^(?=.{3,254}$)(?!.*\s)[!-?A-~\u00a1-\uffff]+@[!-?A-~\u00a1-\uffff]+$/,
    expected:
      'an e-mail address: one @ with something on both sides, no spaces, at most 254 characters',
  },
  reference: {
    required: true,
    pattern: /^(?!\.{1,2}$)[-._A-Za-z0-9]{1,128}$/,
    expected: '1 to 128 of the characters A-Z a-z 0-9 - . _ and neither "." nor ".."',
  },
  currency: { pattern: /^[A-Z]{3}$/, expected: 'three capital letters, such as "ZMW"' },
  label: TEXT,
  bearer: { pattern: /^(?:merchant|customer)$/, expected: '"merchant" or "customer"' },
  locale: TEXT,
  'customer.firstName': TEXT,
  'customer.lastName': TEXT,
  'customer.phone': TEXT,
  'billing.streetAddress': TEXT,
  'billing.city': TEXT,
  'billing.state': TEXT,
  'billing.postalCode': TEXT,
  'billing.country': { pattern: /^[A-Za-z]{2}$/, expected: 'two letters, such as "ZM"' },
} as const satisfies Record<string, MemberRule>;
