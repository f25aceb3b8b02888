import type { PaymentState } from '../database/schema.ts';

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

/**
 * What one customer wants, priced when it was placed. `browserId` is the browser that placed it
 * (D56).
 */
export interface Order {
  id: string;
  browserId: string;
  customer: OrderCustomer;
  lines: OrderLine[];
  amount: string;
  currency: string;
}

/**
 * One try to pay an order, under a reference of its own. `reviewReason` says what differs where a
 * person has to decide.
 */
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

/** Nothing leaves these states: while the database says so, nobody need be asked. */
export function isOver({ state }: Payment): boolean {
  return state === 'paid' || state === 'refused';
}

/**
 * Returns the payment that says how an order stands: the one that paid it, else the one the shop
 * looks at, else the newest.
 */
export function findDecisive(paymentsOldestFirst: readonly Payment[]): Payment | undefined {
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
  /**
   * The service waits for the customer: to approve on the phone, to type a code, or to answer the
   * bank.
   */
  isWaitingForCustomer: boolean;
  /** A person refused it: its customer asks the shop before paying again. */
  asksFirst?: true;
  /** Money arrived and a person looks at it: nobody can continue this payment. */
  isInReview?: true;
}
