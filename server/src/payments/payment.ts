import type { PaymentState } from '../database/schema.ts';
import type { PaidDetails } from './paid-details.ts';

/** An order to pay. `data` is whatever the shop keeps with it, as JSON. */
export interface Order<Data = unknown> {
  id: string;
  owner: string;
  data: Data;
  amount: string;
  currency: string;
}

/** One try to pay an order, under a reference of its own. */
export interface Payment<Data = unknown> extends Omit<Order<Data>, 'id'>, PaidDetails {
  reference: string;
  orderId: string;
  state: PaymentState;
  /** Why it failed or needs review, for the shop's own people. */
  reason: string | null;
  createdAt: number;
  /** When it came into its state, or was opened again. */
  movedAt: number;
}

export function isOver({ state }: Payment): boolean {
  return state === 'paid' || state === 'refused';
}

/** Only the service knows whether a form for a payment is still open somewhere (D61). */
export function isOpen({ state }: Payment): boolean {
  return state === 'awaiting-payment' || state === 'expired';
}

/**
 * Returns the payment that says how an order stands: the one that paid it, otherwise the one in
 * review, otherwise the newest.
 */
export function findDecisive<Some extends Pick<Payment, 'state'>>(
  paymentsOldestFirst: readonly Some[],
): Some | undefined {
  const inState = (state: PaymentState) =>
    paymentsOldestFirst.find((payment) => payment.state === state);
  return inState('paid') ?? inState('needs-review') ?? paymentsOldestFirst.at(-1);
}

/** A payment as pages see it (D57). */
export interface ShownPayment {
  reference: string;
  status: 'successful' | 'failed' | 'pending';
  amount: string;
  currency: string;
  isWaitingForCustomer: boolean;
  /** A person refused it: its customer contacts the shop before paying again. */
  mustContactShop?: true;
  /** Money arrived and a person looks at it: nobody can continue this payment. */
  isInReview?: true;
  /** When it was paid: ISO 8601, in UTC. */
  paidAt?: string;
  /** Such as `Visa •• 4242`, if the service says it. */
  paidWith?: { channel: 'card' | 'mobile-money'; label: string };
}
