import { isWaitingForCustomer as saysWaiting } from '@service-pay/contract/collection';
import type { PaymentState } from '../database/schema.ts';
import { notKnownYet } from '../errors.ts';
import type { Clock } from '../support/clock.ts';
import type { Confirm } from './confirm.ts';
import { findDecisive, type Payment, type ShownPayment } from './payment.ts';
import type { ServiceResponses } from './service-responses.ts';
import type { SharedParts } from './shared-parts.ts';

/** What a page gets to see of each state (D57). */
const SHOWN: Record<
  PaymentState,
  Pick<ShownPayment, 'status' | 'mustContactShop' | 'isInReview'> & { message: string }
> = {
  'awaiting-payment': { status: 'pending', message: 'The payment is not confirmed yet.' },
  paid: { status: 'successful', message: 'The order is paid.' },
  failed: {
    status: 'failed',
    message: 'The payment did not go through. You can pay again for the same order.',
  },
  expired: {
    status: 'failed',
    message: 'Nobody has paid this order yet. You can still pay it.',
  },
  'needs-review': {
    status: 'pending',
    isInReview: true,
    message: 'The payment arrived and the shop is looking at it. Do not pay again.',
  },
  refused: {
    status: 'failed',
    mustContactShop: true,
    message:
      'The shop looked at the payment and did not accept it. Ask the shop about your money before you pay again.',
  },
};

const WAITING_FOR_CUSTOMER =
  'The payment is waiting for you: approve it on your phone, or finish confirming it with your bank.';

const RESPOND_WITHIN_MS = 10_000;

export interface OrderState {
  shown: ShownPayment;
  message: string;
  /** This call changed the state of the order. */
  hasMoved: boolean;
}

export interface OrderParts extends Pick<SharedParts, 'store' | 'responses' | 'feed' | 'clock'> {
  confirm: Confirm;
}

/** Verifies an order's newest payment and `own`, and returns the order's state afterwards. */
export async function confirmOrder(
  own: Payment,
  paymentsOldestFirst: readonly Payment[],
  { confirm, ...parts }: OrderParts,
): Promise<OrderState> {
  if (own.state === 'paid') return { ...show(own, parts.responses), hasMoved: false };
  const before = findDecisive(paymentsOldestFirst) ?? own;
  const newest = paymentsOldestFirst.at(-1) ?? own;
  const confirms = [confirm(newest, 'success')];
  // An earlier payment may be paid late. If verifying it fails, the newest one still decides.
  if (own !== newest) confirms.push(confirm(own, 'page').catch(() => undefined));
  const [moved = newest] = await Promise.all(confirms);
  // it may be in review because another payment was created and paid meanwhile
  const isAlone = paymentsOldestFirst.length === 1 && moved.state !== 'needs-review';
  const decisive = isAlone ? moved : await findDecisivePayment(own.orderId, parts);
  return { ...show(decisive, parts.responses), hasMoved: decisive.state !== before.state };
}

export async function readOrder(
  orderId: string,
  { store, responses }: Pick<SharedParts, 'store' | 'responses'>,
): Promise<Pick<OrderState, 'shown' | 'message'>> {
  return show(await findDecisivePayment(orderId, { store }), responses);
}

async function findDecisivePayment(
  orderId: string,
  { store }: Pick<SharedParts, 'store'>,
): Promise<Payment> {
  const payment = findDecisive(await store.findPaymentsOfOrder(orderId));
  if (!payment) throw new Error('The order has no payments.');
  return payment;
}

function show(
  { reference, state, amount, currency, paidAt, paidWith, movedAt }: Payment,
  responses: ServiceResponses,
): Pick<OrderState, 'shown' | 'message'> {
  const isWaitingForCustomer =
    state === 'awaiting-payment' && saysWaiting(responses.find(reference) ?? '');
  const { message, status, ...more } = SHOWN[state];
  const paid = state === 'paid' && {
    paidAt: new Date(paidAt ?? movedAt).toISOString(),
    ...(paidWith && { paidWith }),
  };
  return {
    shown: { reference, status, amount, currency, isWaitingForCustomer, ...more, ...paid },
    message: isWaitingForCustomer ? WAITING_FOR_CUSTOMER : message,
  };
}

/**
 * Waits at most ten seconds for confirms, then fails with `not_known_yet` (D52). The confirms
 * continue in the background.
 */
export async function inTime<Result>(clock: Clock, confirms: Promise<Result>): Promise<Result> {
  const tooLate = Promise.withResolvers<never>();
  const cancel = clock.after(RESPOND_WITHIN_MS, () =>
    tooLate.reject(notKnownYet('timeout', 'The service did not respond within ten seconds.')),
  );
  return Promise.race([confirms, tooLate.promise]).finally(cancel);
}
