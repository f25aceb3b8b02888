import { isSameAmount } from '@service-pay/contract/money';
import type { PaymentState } from '../database/schema.ts';
import type { VerifiedCollection } from '../service/client.ts';
import type { Payment } from './payment.ts';

/** The states that a response of the service may change to `paid`. */
export const MAY_BECOME_PAID = [
  'awaiting-payment',
  'failed',
  'expired',
] as const satisfies PaymentState[];

/** The reason for the review of a second payment of one order. */
export const PAID_BEFORE = 'order already paid';

/** A payment without an attempt for this long is shown as expired. Its customer can reopen it. */
const EXPIRES_AFTER_MS = 24 * 60 * 60_000;

const LONGEST_SHOWN_AMOUNT = 12;

/** The reason is for the shop's staff: why the payment failed, or why it needs review. */
export interface Move {
  to: 'paid' | 'failed' | 'expired' | 'needs-review' | 'awaiting-payment';
  reason?: string;
}

/** The states from which each move except `paid` is allowed. */
export const MOVES_FROM: Record<Exclude<Move['to'], 'paid'>, readonly PaymentState[]> = {
  'awaiting-payment': ['expired'],
  expired: ['awaiting-payment'],
  failed: ['awaiting-payment', 'expired'],
  'needs-review': MAY_BECOME_PAID,
};

/** Decides what a response means for a payment; undefined changes nothing (D50–D52, D32, D35). */
export function decide(
  payment: Payment,
  collection: VerifiedCollection | undefined,
  now: number,
): Move | undefined {
  const { state, movedAt } = payment;
  if (!collection)
    return state === 'awaiting-payment' && now - movedAt >= EXPIRES_AFTER_MS
      ? { to: 'expired' }
      : undefined;
  if (collection.status === 'failed')
    return MOVES_FROM.failed.includes(state)
      ? { to: 'failed', reason: collection.reasonForFailure ?? '' }
      : undefined;
  if (collection.status !== 'successful')
    return state === 'expired' ? { to: 'awaiting-payment' } : undefined;
  if (!MAY_BECOME_PAID.some((one) => one === state)) return undefined;
  const arrived = describeArrived(collection);
  if (collection.currency !== payment.currency)
    return { to: 'needs-review', reason: `currency differs${arrived}` };
  if (!isSameAmount(collection.amount, payment.amount))
    return { to: 'needs-review', reason: `amount differs${arrived}` };
  return { to: 'paid' };
}

/** The text goes into a log and onto a terminal, so it is omitted unless it looks like money. */
function describeArrived({ currency, amount }: VerifiedCollection): string {
  return /^[A-Z]{3}$/.test(currency) && amount.length <= LONGEST_SHOWN_AMOUNT
    ? `: ${currency} ${amount} arrived`
    : '';
}
