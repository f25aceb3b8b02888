import type { Collection } from '@service-pay/contract/collection';
import type { ErrorCode } from '@service-pay/contract/envelope';
import type { EventName } from '@service-pay/contract/webhook';
import { type Ending, REASONS } from '../payments/outcomes.ts';
import type { Treatment } from '../webhooks/delivery.ts';

/**
 * How an attempt goes, whatever its card or phone would do: at once by card and after 3 s by phone,
 * unless `afterS` says.
 */
export interface ScriptedAttempt {
  readonly end: Ending;
  readonly afterS?: number;
  /** Nothing is asked of the customer meanwhile: the network works on it. */
  readonly isPending?: boolean;
}

/**
 * What verify answers once the payment is successful, for `forS` of the sandbox's time, or for good
 * where that is null.
 */
export interface ScriptedVerify {
  readonly forS: number | null;
  /** The call goes wrong this way. */
  readonly fault?:
    | { readonly kind: 'hang' | 'garbage' }
    | {
        readonly kind: 'status';
        readonly status: number;
        readonly errorCode: ErrorCode;
        readonly message: string;
        readonly retryAfterS?: number;
      };
  /** The call works, and these members differ. */
  readonly told?: Partial<Collection>;
}

/** One story that a payment can be made to go through. What is not scripted goes as ever. */
export interface Scenario {
  readonly name: string;
  /** What is wrong in it, in one sentence. */
  readonly summary: string;
  /** How to see it: what to do and what happens then. */
  readonly steps: readonly string[];
  /** What a correct shop does. */
  readonly shop: string;
  /** The first attempt of the payment, the second, and so on. */
  readonly attempts?: readonly ScriptedAttempt[];
  /** What becomes of these events. They are sent whatever the merchant's `events` say. */
  readonly webhooks?: Partial<Readonly<Record<EventName, Treatment>>>;
  readonly verify?: ScriptedVerify;
}

const PAY = 'Pay with any test card or phone.';
const PAID: Ending = { status: 'successful' };
const declined = (reason: string): Ending => ({ status: 'declined', reason });

const VERIFY_FIRST =
  'Believes verify alone: the order is paid on the first look, whatever becomes of the webhook.';
const REFUSE =
  'Answers 401 to what does not fit its signature and changes nothing. Verify, or the attempt that fits, makes the order paid.';
const WAIT =
  'Takes it as not known yet, shows the order as pending and asks again. It is paid once, when verify says so.';
const RETURN_TO_REVIEW = 'Does not hand over the goods: the payment waits for a person.';

/** Every scenario there is. `docs/scenarios.md` is made of this table. */
export const SCENARIOS: readonly Scenario[] = [
  {
    name: 'webhook-lost',
    summary: 'The webhook of a successful payment never comes.',
    steps: [
      PAY,
      'Verify says successful.',
      'No webhook is sent. Send it again by hand, and it comes late.',
    ],
    shop: VERIFY_FIRST,
    webhooks: { 'collection.successful': { drop: true } },
  },
  {
    name: 'webhook-late',
    summary: 'The webhook of a successful payment comes ten minutes after.',
    steps: [PAY, 'Advance the clock by 600 s.', 'The webhook is delivered then.'],
    shop: 'Has confirmed the order by verify long since. The webhook changes nothing and is answered with 200.',
    webhooks: { 'collection.successful': { delayMs: 600_000 } },
  },
  {
    name: 'webhook-doubled',
    summary: 'The webhook of a successful payment comes twice at once, byte for byte.',
    steps: [PAY, 'Two requests with one body and one signature arrive.'],
    shop: 'Answers both with 200 and fulfils the order once.',
    webhooks: { 'collection.successful': { copies: 1 } },
  },
  {
    name: 'webhook-storm',
    summary: 'The webhook of a successful payment comes a hundred times at once.',
    steps: [PAY, 'A hundred requests with one body and one signature arrive.'],
    shop: 'Answers each with 200, asks verify few times, and fulfils the order once.',
    webhooks: { 'collection.successful': { copies: 99 } },
  },
  {
    name: 'webhook-out-of-order',
    summary: 'The news of the settlement overtakes the news of the payment.',
    steps: [
      PAY,
      'Advance the clock by 1 s for a phone, by 86400 s for a card.',
      'First comes collection.settled, then collection.successful.',
    ],
    shop: 'Answers both with 200, moves the order forward only, and ends in the same state as in the right order.',
    webhooks: {
      'collection.successful': { waitsFor: 'collection.settled' },
      'collection.settled': {},
    },
  },
  {
    name: 'webhook-tampered',
    summary: 'The first delivery of the webhook names another amount than was signed.',
    steps: [
      PAY,
      'The first request does not fit its signature.',
      'Advance the clock by 1800 s: it is tried again as it should be.',
    ],
    shop: REFUSE,
    webhooks: { 'collection.successful': { tamper: 'amount' } },
  },
  {
    name: 'webhook-unsigned',
    summary: 'The first delivery of the webhook has no signature.',
    steps: [
      PAY,
      'The first request has no signature.',
      'Advance the clock by 1800 s: it is tried again as it should be.',
    ],
    shop: REFUSE,
    webhooks: { 'collection.successful': { tamper: 'signature-missing' } },
  },
  {
    name: 'webhook-old-token',
    summary: 'The first delivery of the webhook is signed with a token that is not in force.',
    steps: [
      PAY,
      'The first request is signed with another token.',
      'Advance the clock by 1800 s: it is tried again with the token of now.',
    ],
    shop: `${REFUSE} It says in its log that tokens differ, and never prints a key.`,
    webhooks: { 'collection.successful': { tamper: 'old-token' } },
  },
  {
    name: 'receiver-retried',
    summary: 'The connection breaks in the middle of the first two deliveries.',
    steps: [
      PAY,
      'Two requests end halfway.',
      'Advance the clock by 3600 s: the third one arrives whole.',
    ],
    shop: 'Stores nothing of half a request. It acts on the third, or has confirmed the order by verify before.',
    webhooks: { 'collection.successful': { cutFirst: 2 } },
  },
  {
    name: 'declined-then-paid',
    summary: 'The first attempt is declined, the second one is successful.',
    steps: [
      PAY,
      'The popup says Not enough funds.',
      'Pay again in the same popup: it is successful.',
    ],
    shop: 'Never calls the payment failed in between: a decline leaves the collection pending.',
    attempts: [{ end: declined('Not enough funds') }, { end: PAID }],
  },
  {
    name: 'declined-for-good',
    summary:
      'Every attempt is declined, and the payment fails; the shop is told by collection.failed.',
    steps: [
      PAY,
      'Pay again until no attempt is left: five in all.',
      'The collection is failed, and collection.failed is delivered.',
    ],
    shop: 'Shows the payment as failed and offers another one, under a new reference.',
    attempts: Array.from({ length: 5 }, () => ({ end: declined('Transaction unauthorized') })),
    webhooks: { 'collection.failed': {} },
  },
  {
    name: 'prompt-times-out',
    summary: 'Nobody answers the prompt: the attempt is declined after three minutes.',
    steps: [
      'Pay with any test phone.',
      'Advance the clock by 180 s.',
      'The attempt is declined: Transaction Timed Out.',
    ],
    shop: 'Shows the order as pending all the while, and lets the customer try again.',
    attempts: [{ end: declined(REASONS.promptTimedOut), afterS: 180 }],
  },
  {
    name: 'prompt-answered-late',
    summary:
      'The prompt is approved ten seconds before it gives up, long after the customer closed the popup.',
    steps: [
      'Pay with any test phone and close the popup.',
      'Advance the clock by 170 s.',
      'The payment is successful, and the webhook comes.',
    ],
    shop: 'Keeps asking, or acts on the webhook: the order is paid although nobody waited for it.',
    attempts: [{ end: PAID, afterS: 170 }],
  },
  {
    name: 'paid-after-time-is-over',
    summary:
      'The attempt is pending for longer than the session lasts, and is successful in the end.',
    steps: [
      PAY,
      'Advance the clock by 1860 s.',
      'The session would have ended after 1800 s; the running attempt counts, and it is paid.',
    ],
    shop: 'Moves an order that it called expired to paid, and fulfils it once.',
    attempts: [{ end: PAID, afterS: 31 * 60, isPending: true }],
  },
  {
    name: 'verify-pending-long',
    summary: 'The network works on the payment for ten minutes; it is successful in the end.',
    steps: [PAY, 'Verify says pending.', 'Advance the clock by 600 s: verify says successful.'],
    shop: 'Asks at growing intervals and shows the order as pending; never failed, never twice charged.',
    attempts: [{ end: PAID, afterS: 600, isPending: true }],
  },
  {
    name: 'success-told-but-pending',
    summary: 'Popup and webhook say successful while verify still says pending, for a minute.',
    steps: [
      PAY,
      'The popup and the webhook say successful, verify says pending.',
      'Advance the clock by 60 s: verify says successful.',
    ],
    shop: `Hands over nothing on the word of popup or webhook. ${WAIT}`,
    verify: {
      forS: 60,
      told: {
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
    summary: 'Verify says failed for a minute after the payment was successful, then successful.',
    steps: [PAY, 'Verify says failed.', 'Advance the clock by 60 s: verify says successful.'],
    shop: 'Moves the order from failed to paid, and fulfils it once.',
    verify: {
      forS: 60,
      told: {
        status: 'failed',
        reasonForFailure: 'Card declined',
        fee: null,
        settlementStatus: null,
        settlement: null,
      },
    },
  },
  {
    name: 'verify-unknown-status',
    summary: 'Verify gives a status nobody knows for a minute, then successful.',
    steps: [PAY, 'Verify says under-review.', 'Advance the clock by 60 s: verify says successful.'],
    shop: 'Takes a status it does not know as pending: never paid, never failed.',
    verify: {
      forS: 60,
      told: {
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
    summary: 'Verify knows nothing of the payment for 30 s after it was successful.',
    steps: [
      PAY,
      'Verify answers 404 with code 11.',
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
    summary: 'Verify answers 503 for two minutes after the payment was successful.',
    steps: [
      PAY,
      'Verify answers 503 with code 10 and Retry-After.',
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
    summary: 'Verify answers 429 for a minute after the payment was successful.',
    steps: [
      PAY,
      'Verify answers 429 with code 10 and Retry-After.',
      'Advance the clock by 60 s: verify says successful.',
    ],
    shop: `${WAIT} It waits as long as Retry-After says, but keeps nobody's request open for it.`,
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
    name: 'verify-silent',
    summary:
      'Verify takes the call and never answers, for a minute after the payment was successful.',
    steps: [PAY, 'Verify does not answer.', 'Advance the clock by 60 s: verify says successful.'],
    shop: `Gives up within 10 s. ${WAIT}`,
    verify: { forS: 60, fault: { kind: 'hang' } },
  },
  {
    name: 'verify-garbled',
    summary:
      'Verify answers 200 with what is no JSON, for a minute after the payment was successful.',
    steps: [
      PAY,
      'Verify answers with bytes that mean nothing.',
      'Advance the clock by 60 s: verify says successful.',
    ],
    shop: WAIT,
    verify: { forS: 60, fault: { kind: 'garbage' } },
  },
  {
    name: 'verify-token-refused',
    summary: 'Verify refuses the API token for five minutes after the payment was successful.',
    steps: [
      PAY,
      'Verify answers 401 with code 09.',
      'Advance the clock by 300 s: verify says successful.',
    ],
    shop: 'Tells whoever runs it, leaves the order open, and confirms it once the token is right.',
    verify: {
      forS: 300,
      fault: {
        kind: 'status',
        status: 401,
        errorCode: '09',
        message: 'The API token was refused.',
      },
    },
  },
  {
    name: 'verify-other-amount',
    summary: 'Verify says successful, of another amount than the order has.',
    steps: [PAY, 'Verify says successful, and 0.01.'],
    shop: RETURN_TO_REVIEW,
    verify: { forS: null, told: { amount: '0.01' } },
  },
  {
    name: 'verify-other-currency',
    summary: 'Verify says successful, in another currency than the order has.',
    steps: [PAY, 'Verify says successful, in XAF.'],
    shop: RETURN_TO_REVIEW,
    verify: { forS: null, told: { currency: 'XAF' } },
  },
];
