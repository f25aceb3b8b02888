import type { PaymentState } from './tables.ts';

/** One line of an order, as it was priced when it was placed. */
export interface OrderLine {
  sku: string;
  name: string;
  quantity: number;
  price: string;
}

/** Who ordered, as far as the shop was told. */
export interface OrderCustomer {
  email: string;
  firstName?: string | undefined;
  lastName?: string | undefined;
  phone?: string | undefined;
}

export interface Order {
  id: string;
  browserId: string;
  customer: OrderCustomer;
  lines: OrderLine[];
  amount: string;
  currency: string;
}

export interface Payment {
  reference: string;
  orderId: string;
  browserId: string;
  amount: string;
  currency: string;
  state: PaymentState;
  reviewReason: string | null;
  createdAt: number;
}

/** A fulfilment that one worker holds until its lease ends. Later writes check `leaseVersion`. */
export interface ClaimedFulfilment {
  orderId: string;
  reference: string;
  attempts: number;
  leaseVersion: number;
}
