import { isWaitingForCustomer } from '@service-pay/contract/collection';
import type { PaymentState } from '../database/schema.ts';
import type { Confirm } from './confirm.ts';
import { findDecisive, type Payment, type ShownPayment } from './payment.ts';
import type { ShopStore } from './store.ts';

/** What a page gets for each state (D57), and the message with it. */
const SHOWN: Record<
  PaymentState,
  Pick<ShownPayment, 'status' | 'asksFirst' | 'isInReview'> & { message: string }
> = {
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
    isInReview: true,
    message: 'The payment arrived and the shop is looking at it.',
  },
  refused: {
    status: 'failed',
    asksFirst: true,
    message:
      'The shop looked at the payment and did not accept it. Ask the shop about your money before you pay again.',
  },
};

const WAITING_FOR_CUSTOMER =
  'The payment is waiting for you: approve it on your phone, or finish confirming it with your bank.';

/** Payments of which this process remembers what the service last said. */
const MOST_REMEMBERED = 10_000;

/** How an order stands: the data a page gets, and the sentence with it. */
export interface OrderState {
  shown: ShownPayment;
  message: string;
}

/** The status that the service last gave this process for each payment. */
export class ServiceAnswers {
  readonly #statuses = new Map<string, string | null>();

  /** Remembers a status, or null if the service knows no collection with that reference. */
  note(reference: string, status: string | null): void {
    this.#statuses.delete(reference);
    this.#statuses.set(reference, status);
    const [oldest] = this.#statuses.keys();
    if (this.#statuses.size > MOST_REMEMBERED) this.#statuses.delete(oldest!);
  }

  /** Returns true if nobody had tried to pay when the service was last asked. */
  isUntried(reference: string): boolean {
    return this.#statuses.get(reference) === null;
  }

  isWaitingForCustomer(reference: string): boolean {
    return isWaitingForCustomer(this.#statuses.get(reference) ?? '');
  }
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

  /** Asks about the order's newest payment and the one named, and returns how the order stands. */
  async confirm(own: Payment): Promise<OrderState> {
    if (own.state === 'paid') return this.show(own);
    const { reference } = (await this.#store.findPaymentsOfOrder(own.orderId)).at(-1) ?? own;
    const asked = [this.#confirm(reference, 'success')];
    // An earlier payment may be paid late. If it cannot be asked about, the newest one still answers.
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
    const { message, status, ...more } = SHOWN[state];
    return {
      shown: { reference, status, amount, currency, isWaitingForCustomer, ...more },
      message: isWaitingForCustomer ? WAITING_FOR_CUSTOMER : message,
    };
  }
}
