import type { CardBrand } from '@service-pay/contract/checkout-api';

export type Ending =
  | { readonly status: 'successful' }
  | { readonly status: 'declined'; readonly reason: string };

/**
 * The outcome of a test number. `first` is the question for the customer. The ending follows after
 * `answeredAfterMs`; if that is null, it follows when a person answers.
 */
export interface Outcome {
  readonly first?: 'challenge' | 'one-time-code' | 'billing-address';
  readonly answeredAfterMs: number | null;
  readonly end: Ending;
  /** The network cannot cancel its prompt (D47). */
  readonly withdrawal?: 'refused';
}

export interface TestCard<Name extends string = string> extends Outcome {
  readonly name: Name;
  readonly number: string;
  readonly cardType: CardBrand;
}

export interface TestPhone<Name extends string = string> extends Outcome {
  readonly name: Name;
  readonly number: string;
  readonly country: 'zm' | 'mw';
  readonly operator: string;
}

export const REASONS = {
  promptDeclined: 'Transaction unauthorized',
  promptTimedOut: 'Transaction Timed Out',
  challengeDeclined: 'Card verification declined',
  challengeTimedOut: 'Card verification timed out',
  codeWrong: 'Wrong one-time code',
  codeTimedOut: 'One-time code not entered in time',
  replaced: 'Replaced by another attempt',
} as const;

export const WAITS = {
  session: 30 * 60_000,
  prompt: 3 * 60_000,
  challenge: 10 * 60_000,
  oneTimeCode: 10 * 60_000,
} as const;

/** The number that WCAG 2.2 (2.2.1) requires (D37). */
export const EXTENSIONS_PER_SESSION = 10;

export const ATTEMPTS_PER_SESSION = 5;

/**
 * The right code of every test phone, and how many wrong ones decline. `Payments.enterCode`
 * compares.
 */
export const ONE_TIME_CODE = { right: '000000', tries: 3 } as const;

const PROMPT_ANSWERED_AFTER_MS = 3_000;
const SUCCESSFUL: Ending = { status: 'successful' };
const declined = (reason: string): Ending => ({ status: 'declined', reason });

const atOnce = (end: Ending): Outcome => ({ answeredAfterMs: 0, end });
const byPrompt = (end: Ending): Outcome => ({ answeredAfterMs: PROMPT_ANSWERED_AFTER_MS, end });
const byHand: Outcome = { answeredAfterMs: null, end: declined(REASONS.promptTimedOut) };

export const ORDINARY_PHONE: Outcome = byPrompt(SUCCESSFUL);

/** The test cards. Any other number is rejected, because real cards do not belong in a sandbox. */
export const TEST_CARDS = nameCards([
  { name: 'successful', number: '4242424242424242', cardType: 'visa', ...atOnce(SUCCESSFUL) },
  {
    name: 'successfulMastercard',
    number: '5555555555554444',
    cardType: 'mastercard',
    ...atOnce(SUCCESSFUL),
  },
  {
    name: 'challenged',
    number: '4000000000003220',
    cardType: 'visa',
    first: 'challenge',
    answeredAfterMs: null,
    end: declined(REASONS.challengeTimedOut),
  },
  {
    name: 'declined',
    number: '4000000000000002',
    cardType: 'visa',
    ...atOnce(declined('Card declined')),
  },
  {
    name: 'notEnoughFunds',
    number: '4000000000009995',
    cardType: 'visa',
    ...atOnce(declined('Not enough funds')),
  },
  {
    name: 'expired',
    number: '4000000000000069',
    cardType: 'visa',
    ...atOnce(declined('Card expired')),
  },
  {
    name: 'pending',
    number: '4000000000000077',
    cardType: 'visa',
    answeredAfterMs: 20_000,
    end: SUCCESSFUL,
  },
  {
    name: 'billingAddress',
    number: '4000000000000010',
    cardType: 'visa',
    first: 'billing-address',
    ...atOnce(SUCCESSFUL),
  },
]);

export const TEST_PHONES = namePhones([
  {
    name: 'successful',
    number: '0961111111',
    country: 'zm',
    operator: 'mtn',
    ...byPrompt(SUCCESSFUL),
  },
  {
    name: 'successfulAirtel',
    number: '0971111111',
    country: 'zm',
    operator: 'airtel',
    ...byPrompt(SUCCESSFUL),
  },
  {
    name: 'successfulZamtel',
    number: '0951111111',
    country: 'zm',
    operator: 'zamtel',
    ...byPrompt(SUCCESSFUL),
  },
  {
    name: 'notEnoughFunds',
    number: '0962222222',
    country: 'zm',
    operator: 'mtn',
    ...byPrompt(declined('Not enough funds')),
  },
  {
    name: 'notEnoughFundsAirtel',
    number: '0975555555',
    country: 'zm',
    operator: 'airtel',
    ...byPrompt(declined('Not enough funds')),
  },
  {
    name: 'limitExceeded',
    number: '0963333333',
    country: 'zm',
    operator: 'mtn',
    ...byPrompt(declined('Withdrawal amount limit exceeded')),
  },
  {
    name: 'unauthorized',
    number: '0964444444',
    country: 'zm',
    operator: 'mtn',
    ...byPrompt(declined('Transaction unauthorized')),
  },
  {
    name: 'alsoUnauthorized',
    number: '0965555555',
    country: 'zm',
    operator: 'mtn',
    ...byPrompt(declined('Transaction unauthorized')),
  },
  {
    name: 'incorrectPin',
    number: '0972222222',
    country: 'zm',
    operator: 'airtel',
    ...byPrompt(declined('Incorrect Pin')),
  },
  { name: 'neverAnswered', number: '0966666666', country: 'zm', operator: 'mtn', ...byHand },
  {
    name: 'neverAnsweredAirtel',
    number: '0977777777',
    country: 'zm',
    operator: 'airtel',
    ...byHand,
  },
  {
    name: 'oneTimeCode',
    number: '0969999999',
    country: 'zm',
    operator: 'mtn',
    first: 'one-time-code',
    ...byPrompt(SUCCESSFUL),
  },
  { name: 'waits', number: '0960000000', country: 'zm', operator: 'mtn', ...byHand },
  { name: 'waitsAirtel', number: '0970000000', country: 'zm', operator: 'airtel', ...byHand },
  {
    name: 'cannotBeWithdrawn',
    number: '0968888888',
    country: 'zm',
    operator: 'mtn',
    ...byHand,
    withdrawal: 'refused',
  },
  {
    name: 'successfulTnm',
    number: '0881111111',
    country: 'mw',
    operator: 'tnm',
    ...byPrompt(SUCCESSFUL),
  },
  {
    name: 'successfulMalawiAirtel',
    number: '0991111111',
    country: 'mw',
    operator: 'airtel',
    ...byPrompt(SUCCESSFUL),
  },
  {
    name: 'notEnoughFundsTnm',
    number: '0883333333',
    country: 'mw',
    operator: 'tnm',
    ...byPrompt(declined('Not enough funds')),
  },
  {
    name: 'notEnoughFundsMalawiAirtel',
    number: '0992222222',
    country: 'mw',
    operator: 'airtel',
    ...byPrompt(declined('Not enough funds')),
  },
  {
    name: 'unauthorizedTnm',
    number: '0885555555',
    country: 'mw',
    operator: 'tnm',
    ...byPrompt(declined('Transaction unauthorized')),
  },
  {
    name: 'unauthorizedMalawiAirtel',
    number: '0984444444',
    country: 'mw',
    operator: 'airtel',
    ...byPrompt(declined('Transaction unauthorized')),
  },
]);

function nameCards<Name extends string>(
  rows: readonly TestCard<Name>[],
): readonly TestCard<Name>[] {
  return rows;
}

function namePhones<Name extends string>(
  rows: readonly TestPhone<Name>[],
): readonly TestPhone<Name>[] {
  return rows;
}
