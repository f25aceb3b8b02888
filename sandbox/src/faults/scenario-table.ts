import type { Collection } from '@service-pay/contract/collection';
import type { ErrorCode } from '@service-pay/contract/envelope';
import type { EventName } from '@service-pay/contract/webhook';
import { type Ending, REASONS } from '../test-numbers/outcomes.ts';
import type { Treatment } from './treatment.ts';

/**
 * The end of an attempt, regardless of its card or phone number: at once by card and after 3 s by
 * phone, unless `afterS` is set.
 */
export interface ScriptedAttempt {
  readonly end: Ending;
  readonly afterS?: number;
  readonly isPending?: boolean;
}

/**
 * The response of verify once the payment is successful, for `forS` seconds of the sandbox's time,
 * or forever if null; or only before it is successful.
 */
export interface ScriptedVerify {
  readonly forS: number | null | 'until-successful';
  readonly fault?:
    | { readonly kind: 'hang' | 'garbage' }
    | {
        readonly kind: 'status';
        readonly status: number;
        readonly errorCode: ErrorCode;
        readonly message: string;
        readonly retryAfterS?: number;
      };
  readonly changes?: Partial<Collection>;
}

export interface Scenario {
  readonly name: string;
  readonly summary: string;
  readonly steps: readonly string[];
  /** The fault shows sooner, or only, with a phone. */
  readonly isByPhone?: true;
  readonly shop: string;
  /** The customer does this before time passes. */
  readonly beforeWaiting?: string;
  readonly attempts?: readonly ScriptedAttempt[];
  /** Treatment of these events. They are sent even if the merchant's `events` omit them. */
  readonly webhooks?: Partial<Readonly<Record<EventName, Treatment>>>;
  readonly verify?: ScriptedVerify;
}

const PAY = 'Pay with any test card or phone.';
const PAID: Ending = { status: 'successful' };
const declined = (reason: string): Ending => ({ status: 'declined', reason });

const VERIFY_FIRST = 'Fulfils the order after its next verify call, without the webhook.';
const reject = (reason: string) =>
  `Rejects it with 401, because ${reason}. Accepts the retry, or has verified already.`;
const REJECT = reject('its signature does not match');
const WAIT = 'Shows the order as pending, and verifies again.';
/** A network that reports a failure and processes the payment all the same. */
const FAILED_THEN_PAID = {
  attempts: [{ end: PAID, afterS: 600, isPending: true }],
  verify: {
    forS: 'until-successful',
    changes: { status: 'failed', reasonForFailure: 'Transaction Timed Out' },
  },
} as const satisfies Partial<Scenario>;
const FAILED_AT_FIRST = 'Verify says failed, although the network still processes the payment.';
const NEEDS_REVIEW = 'Does not fulfil the order. A person decides.';

/** Every scenario. `docs/scenarios.md` is generated from this table. */
export const SCENARIOS: readonly Scenario[] = [
  {
    name: 'webhook-lost',
    summary: 'The webhook never arrives.',
    steps: [PAY, 'Verify says successful.', 'No webhook is sent. Replay it to deliver it late.'],
    shop: VERIFY_FIRST,
    webhooks: { 'collection.successful': { drop: true } },
  },
  {
    name: 'webhook-late',
    summary: 'The webhook arrives ten minutes late.',
    steps: [PAY, 'Advance the clock by 600 s.', 'The webhook is delivered.'],
    shop: 'Has verified long before. Responds with 200, and changes nothing.',
    webhooks: { 'collection.successful': { delayMs: 600_000 } },
  },
  {
    name: 'webhook-duplicate',
    summary: 'The webhook arrives twice at the same moment.',
    steps: [PAY, 'Two identical requests arrive.'],
    shop: 'Responds to both with 200, and fulfils the order once.',
    webhooks: { 'collection.successful': { copies: 1 } },
  },
  {
    name: 'webhook-storm',
    summary: 'The webhook arrives a hundred times at once.',
    steps: [PAY, 'A hundred identical requests arrive.'],
    shop: 'Responds to each with 200, verifies only a few times, and fulfils the order once.',
    webhooks: { 'collection.successful': { copies: 99 } },
  },
  {
    name: 'webhook-out-of-order',
    isByPhone: true,
    summary: 'The settlement webhook arrives before the payment webhook.',
    steps: [
      PAY,
      'Advance the clock by 1 s for a phone, by 86400 s for a card.',
      'First collection.settled arrives, then collection.successful.',
    ],
    shop: 'Responds to both with 200, and ends in the same state as usual.',
    webhooks: {
      'collection.successful': { waitsFor: 'collection.settled' },
      'collection.settled': {},
    },
  },
  {
    name: 'webhook-tampered',
    summary: 'The amount in the first webhook was changed after signing.',
    steps: [
      PAY,
      'The signature of the first request does not match its body.',
      'Advance the clock by 1800 s: a correct retry arrives.',
    ],
    shop: REJECT,
    webhooks: { 'collection.successful': { tamper: 'amount' } },
  },
  {
    name: 'webhook-unsigned',
    summary: 'The first webhook has no signature.',
    steps: [
      PAY,
      'The first request has no signature.',
      'Advance the clock by 1800 s: a correct retry arrives.',
    ],
    shop: reject('it has no signature'),
    webhooks: { 'collection.successful': { tamper: 'signature-missing' } },
  },
  {
    name: 'webhook-old-token',
    summary: 'The first webhook is signed with another token.',
    steps: [
      PAY,
      'The first request is signed with a token that is not yours.',
      'Advance the clock by 1800 s: the retry is signed with the current token.',
    ],
    shop: `${REJECT} Logs that the tokens differ, without printing them.`,
    webhooks: { 'collection.successful': { tamper: 'old-token' } },
  },
  {
    name: 'webhook-cut-off',
    summary: 'The connection breaks in the middle of the first two webhook deliveries.',
    steps: [
      PAY,
      'Two requests break off halfway.',
      'Advance the clock by 3600 s: the third one arrives completely.',
    ],
    shop: 'Ignores incomplete requests. Accepts the third, or has verified already.',
    webhooks: { 'collection.successful': { cutFirst: 2 } },
  },
  {
    name: 'declined-then-paid',
    summary: 'The first attempt is declined; the second one succeeds.',
    steps: [
      PAY,
      'The popup says "Not enough funds".',
      'Pay again in the same popup: the attempt succeeds.',
    ],
    shop: 'Never marks the payment as failed in between. Verify says pending.',
    attempts: [{ end: declined('Not enough funds') }, { end: PAID }],
  },
  {
    name: 'declined-for-good',
    summary:
      'Every attempt is declined, the payment fails, and the service sends collection.failed.',
    steps: [
      PAY,
      'Pay again until all five attempts are used.',
      'The collection is failed, and collection.failed is delivered.',
    ],
    shop: 'Shows the payment as failed, and offers a new one with a new reference.',
    attempts: Array.from({ length: 5 }, () => ({ end: declined('Transaction unauthorized') })),
    webhooks: { 'collection.failed': {} },
  },
  {
    name: 'prompt-times-out',
    isByPhone: true,
    summary: 'The customer ignores the prompt, and the attempt is declined after three minutes.',
    steps: [
      'Pay with any test phone.',
      'Advance the clock by 180 s.',
      'The attempt is declined with "Transaction Timed Out".',
    ],
    shop: 'Shows the order as pending, and lets the customer try again.',
    attempts: [{ end: declined(REASONS.promptTimedOut), afterS: 180 }],
  },
  {
    name: 'prompt-approved-late',
    isByPhone: true,
    summary:
      'The customer closes the popup, and approves the prompt ten seconds before it times out.',
    steps: [
      'Pay with any test phone and close the popup.',
      'Advance the clock by 170 s.',
      'The payment is successful, and the webhook arrives.',
    ],
    shop: 'Fulfils the order although the page is closed, because it polls or acts on the webhook.',
    attempts: [{ end: PAID, afterS: 170 }],
  },
  {
    name: 'paid-after-expiry',
    summary: 'The attempt takes longer than the session lasts, and then succeeds.',
    steps: [
      PAY,
      'Advance the clock by 1860 s.',
      'The session would have ended after 1800 s, but the running attempt still counts, and the payment is successful.',
    ],
    shop: 'Fulfils the order although its session has ended.',
    attempts: [{ end: PAID, afterS: 31 * 60, isPending: true }],
  },
  {
    name: 'verify-pending-long',
    summary: 'The network processes the payment for ten minutes, and then it succeeds.',
    steps: [PAY, 'Verify says pending.', 'Advance the clock by 600 s: verify says successful.'],
    shop: 'Polls at growing intervals. Shows the order as pending, never as failed, and offers no second payment.',
    attempts: [{ end: PAID, afterS: 600, isPending: true }],
  },
  {
    name: 'webhook-before-verify',
    summary: 'Popup and webhook say successful, but verify says pending for a minute.',
    steps: [
      PAY,
      'The popup and the webhook say successful, verify says pending.',
      'Advance the clock by 60 s: verify says successful.',
    ],
    shop: 'Shows the order as pending and polls. Fulfils nothing before verify says successful.',
    verify: {
      forS: 60,
      changes: {
        status: 'pending',
        completedAt: null,
        fee: null,
        settlementStatus: null,
        settlement: null,
      },
    },
  },
  {
    name: 'verify-failed-at-first',
    summary: 'Verify says failed for a minute, then successful.',
    steps: [PAY, 'Verify says failed.', 'Advance the clock by 60 s: verify says successful.'],
    shop: 'Changes the order from failed to paid, and fulfils it once.',
    verify: {
      forS: 60,
      changes: {
        status: 'failed',
        reasonForFailure: 'Card declined',
        fee: null,
        settlementStatus: null,
        settlement: null,
      },
    },
  },
  {
    name: 'failed-then-paid',
    summary: 'The payment is reported as failed, and succeeds ten minutes later.',
    steps: [
      PAY,
      FAILED_AT_FIRST,
      'Advance the clock by 600 s: verify says successful, and the webhook arrives.',
    ],
    shop: 'Offers a new payment, and still accepts this one: fulfils the order once it is successful.',
    ...FAILED_THEN_PAID,
  },
  {
    name: 'paid-twice',
    summary:
      'The payment is reported as failed, the customer pays the order again, and then both succeed.',
    steps: [
      PAY,
      FAILED_AT_FIRST,
      'Press Pay again in the shop, and pay the new reference of the order.',
      'Advance the clock by 600 s: the first reference is successful, too.',
    ],
    shop: 'Fulfils the order once. A person decides about the second payment, and refunds it.',
    beforeWaiting: 'pay again under the new reference of the order',
    ...FAILED_THEN_PAID,
  },
  {
    name: 'verify-unknown-status',
    summary: 'Verify returns an undocumented status for a minute, then successful.',
    steps: [PAY, 'Verify says under-review.', 'Advance the clock by 60 s: verify says successful.'],
    shop: 'Shows the order as pending, and verifies again.',
    verify: {
      forS: 60,
      changes: {
        status: 'under-review',
        completedAt: null,
        fee: null,
        settlementStatus: null,
        settlement: null,
      },
    },
  },
  {
    name: 'verify-not-found-at-first',
    summary: 'Verify responds with 404 for 30 s, then says successful.',
    steps: [
      PAY,
      'Verify responds with 404 with code 11.',
      'Advance the clock by 30 s: verify says successful.',
    ],
    shop: WAIT,
    verify: {
      forS: 30,
      fault: {
        kind: 'status',
        status: 404,
        errorCode: '11',
        message: 'No collection has this reference.',
      },
    },
  },
  {
    name: 'verify-unavailable',
    summary: 'Verify responds with 503 for two minutes, then says successful.',
    steps: [
      PAY,
      'Verify responds with 503 with code 10 and Retry-After.',
      'Advance the clock by 120 s: verify says successful.',
    ],
    shop: WAIT,
    verify: {
      forS: 120,
      fault: {
        kind: 'status',
        status: 503,
        errorCode: '10',
        message: 'The service is not available for now.',
        retryAfterS: 30,
      },
    },
  },
  {
    name: 'verify-rate-limited',
    summary: 'Verify responds with 429 for a minute, then says successful.',
    steps: [
      PAY,
      'Verify responds with 429 with code 10 and Retry-After.',
      'Advance the clock by 60 s: verify says successful.',
    ],
    shop: `${WAIT} Waits as long as Retry-After says, and does not keep the customer waiting.`,
    verify: {
      forS: 60,
      fault: {
        kind: 'status',
        status: 429,
        errorCode: '10',
        message: 'Too many calls.',
        retryAfterS: 60,
      },
    },
  },
  {
    name: 'verify-timeout',
    summary: 'Verify does not respond for a minute, then says successful.',
    steps: [PAY, 'Verify does not respond.', 'Advance the clock by 60 s: verify says successful.'],
    shop: `Times out within 10 s. ${WAIT}`,
    verify: { forS: 60, fault: { kind: 'hang' } },
  },
  {
    name: 'verify-invalid-json',
    summary: 'Verify returns invalid JSON for a minute, then says successful.',
    steps: [
      PAY,
      'Verify responds with random bytes.',
      'Advance the clock by 60 s: verify says successful.',
    ],
    shop: WAIT,
    verify: { forS: 60, fault: { kind: 'garbage' } },
  },
  {
    name: 'verify-token-rejected',
    summary: 'Verify rejects the API token for five minutes, then says successful.',
    steps: [
      PAY,
      'Verify responds with 401 with code 09.',
      'Advance the clock by 300 s: verify says successful.',
    ],
    shop: 'Raises an alert, shows the order as pending, and fulfils it once the token works.',
    verify: {
      forS: 300,
      fault: {
        kind: 'status',
        status: 401,
        errorCode: '09',
        message: 'The API token was rejected.',
      },
    },
  },
  {
    name: 'verify-other-amount',
    summary: "Verify says successful, but the amount differs from the order's.",
    steps: [PAY, 'Verify says successful, with the amount 0.01.'],
    shop: NEEDS_REVIEW,
    verify: { forS: null, changes: { amount: '0.01' } },
  },
  {
    name: 'verify-other-currency',
    summary: "Verify says successful, but the currency differs from the order's.",
    steps: [PAY, 'Verify says successful, with the currency XAF.'],
    shop: NEEDS_REVIEW,
    verify: { forS: null, changes: { currency: 'XAF' } },
  },
];

/** Names of version 0.2, which this version still accepts. */
export const OLD_SCENARIO_NAMES: Readonly<Record<string, string>> = {
  'success-told-but-pending': 'webhook-before-verify',
  'webhook-doubled': 'webhook-duplicate',
  'receiver-retried': 'webhook-cut-off',
  'prompt-answered-late': 'prompt-approved-late',
  'paid-after-time-is-over': 'paid-after-expiry',
  'verify-silent': 'verify-timeout',
  'verify-garbled': 'verify-invalid-json',
  'verify-token-refused': 'verify-token-rejected',
};
