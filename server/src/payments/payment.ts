import type { ShopPayment } from '@service-pay/contract/shop-api';

import type { PaymentState } from '../database/schema.ts';
import type { PaidDetails } from './paid-details.ts';

/** An order. `data` is the shop's own data, as JSON. */
export interface Order<Data = unknown> {
  id: string;
  owner: string;
  data: Data;
  amount: string;
  currency: string;
}

/** One attempt to pay an order, under its own reference. */
export interface Payment<Data = unknown> extends Omit<Order<Data>, 'id'>, PaidDetails {
  reference: string;
  orderId: string;
  state: PaymentState;
  /** Why it failed or needs review, for the shop's staff. */
  reason: string | null;
  createdAt: number;
  /** When it entered its state or was reopened. */
  movedAt: number;
}

export function isOver({ state }: Payment): boolean {
  return state === 'paid' || state === 'refused';
}

/**
 * Returns whether a payment may still be paid. Only the service knows whether its form is open
 * somewhere (D61).
 */
export function isOpen({ state }: Payment): boolean {
  return state === 'awaiting-payment' || state === 'expired';
}

/**
 * Returns the payment that decides the state of an order: the one that paid it, otherwise the one
 * in review, otherwise the newest.
 */
export function findDecisive<Some extends Pick<Payment, 'state'>>(
  paymentsOldestFirst: readonly Some[],
): Some | undefined {
  const inState = (state: PaymentState) =>
    paymentsOldestFirst.find((payment) => payment.state === state);
  return inState('paid') ?? inState('needs-review') ?? paymentsOldestFirst.at(-1);
}

/** A payment as pages see it (D57). */
export type ShownPayment = ShopPayment;
