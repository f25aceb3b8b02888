import type { PaymentState } from '../database/schema.ts';
import type { Confirm } from './confirm.ts';
import { findDecisive, type Payment, type ShownPayment } from './payment.ts';
import type { ServiceAnswers } from './service-answers.ts';
import type { ShopStore } from './store.ts';

/** The status a page gets for each state (D57), and the message with it. */
const SHOWN = {
  'awaiting-payment': { status: 'pending', message: 'The payment is not confirmed yet.' },
  paid: { status: 'successful', message: 'The order is paid.' },
  failed: {
    status: 'failed',
    message: 'The payment did not go through. You can pay again for the same order.',
  },
  expired: {
    status: 'failed',
    message: 'Nobody paid in time. You can pay again for the same order.',
  },
  'needs-review': {
    status: 'pending',
    message: 'The payment arrived and the shop is looking at it.',
  },
  refused: {
    status: 'failed',
    message:
      'The shop looked at the payment and did not accept it. Ask the shop about your money before you pay again.',
  },
} as const satisfies Record<
  PaymentState,
  { status: 'successful' | 'failed' | 'pending'; message: string }
>;

/** Members that a page gets for two states besides their status. */
const MORE: Partial<Record<PaymentState, Pick<ShownPayment, 'asksFirst' | 'isInReview'>>> = {
  refused: { asksFirst: true },
  'needs-review': { isInReview: true },
};

const WAITING_FOR_CUSTOMER =
  'The payment is waiting for you: approve it on your phone, or finish confirming it with your bank.';

/** How an order stands: the data a page gets, and the sentence with it. */
export interface OrderState {
  shown: ShownPayment;
  message: string;
}

/** Tells how whole orders stand, whichever of their payments is named. */
export class OrderStates {
  readonly #store: ShopStore;
  readonly #confirm: Confirm;
  readonly #answers: ServiceAnswers;

  constructor(store: ShopStore, confirm: Confirm, answers: ServiceAnswers) {
    this.#store = store;
    this.#confirm = confirm;
    this.#answers = answers;
  }

  /**
   * Asks about the order's newest payment and the one named, and tells how the order stands then.
   */
  async confirm(own: Payment): Promise<OrderState> {
    if (own.state === 'paid') return this.show(own);
    const { reference } = (await this.#store.findPaymentsOfOrder(own.orderId)).at(-1) ?? own;
    const asked = [this.#confirm(reference, 'success')];
    // An earlier payment may be paid late. When it cannot be asked about, the newest one still
    // answers for the order.
    if (own.reference !== reference)
      asked.push(this.#confirm(own.reference, 'look').catch(() => undefined));
    await Promise.all(asked);
    return this.read(own.orderId);
  }

  async read(orderId: string): Promise<OrderState> {
    const payment = findDecisive(await this.#store.findPaymentsOfOrder(orderId));
    if (!payment) throw new Error('The order has no payments.');
    return this.show(payment);
  }

  show({ reference, state, amount, currency }: Payment): OrderState {
    const isWaitingForCustomer =
      state === 'awaiting-payment' && this.#answers.isWaitingForCustomer(reference);
    const { status, message } = SHOWN[state];
    return {
      shown: { reference, status, amount, currency, isWaitingForCustomer, ...MORE[state] },
      message: isWaitingForCustomer ? WAITING_FOR_CUSTOMER : message,
    };
  }
}
