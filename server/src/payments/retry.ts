import { PaymentsError } from '../errors.ts';
import type { PaymentFeed } from '../events/bus.ts';
import type { Clock } from '../support/clock.ts';
import type { Confirm } from './confirm.ts';
import { newReference } from './create.ts';
import type { Payment } from './payment.ts';
import { FIRST_PAUSE_MS } from './reconciler.ts';
import type { ServiceAnswers } from './service-answers.ts';
import type { ShopStore } from './store.ts';
import type { InTime } from './verify-deadline.ts';

/**
 * How long the service lets a customer begin to pay (D37). A payment that nobody tried to pay in
 * that time makes room for another.
 */
const SESSION_MS = 30 * 60_000;

/** Why an order gets no further payment. */
const NO_MORE_PAYMENTS = {
  paid: 'This order is paid already. There is nothing more to pay.',
  'in-review': 'A payment of this order arrived and the shop is looking at it. Do not pay again.',
  'too-many': 'This order was tried too often. Place a new one.',
} as const;

const MAYBE_PAID =
  'The shop cannot learn right now whether you have paid this order already. No new payment was begun: try again in a moment.';

export interface RetryDeps {
  store: ShopStore;
  confirm: Confirm;
  inTime: InTime;
  answers: ServiceAnswers;
  feed: PaymentFeed;
  clock: Clock;
}

/** Gives an order that is not paid a payment that can be paid. */
export class Retries {
  readonly #deps: RetryDeps;

  constructor(deps: RetryDeps) {
    this.#deps = deps;
  }

  /**
   * Asks about every payment of the order. Returns its open payment, or a new one if the service
   * says that the last one failed or nobody tried to pay it for 30 minutes. Fails with
   * `reference_used` if the order is paid, and with `not_known_yet` if it may be and the service
   * cannot be asked (D52).
   */
  async retry(orderId: string): Promise<{ payment: Payment; isNew: boolean }> {
    const { store, feed, clock } = this.#deps;
    const earlier = await store.findPaymentsOfOrder(orderId);
    if (!isDecided(earlier))
      await Promise.all([
        this.#askWhetherPaid(earlier.filter(isAwaiting)),
        this.#lookAt(earlier.filter((one) => !isAwaiting(one))),
      ]);
    const payments = await store.findPaymentsOfOrder(orderId);
    const open = isDecided(payments)
      ? undefined
      : payments.findLast((payment) => this.#isOpen(payment));
    if (open) return { payment: open, isNew: false };

    const now = clock.now();
    const added = await store.addPayment(
      orderId,
      newReference(now),
      now + FIRST_PAUSE_MS,
      now,
      now - SESSION_MS,
    );
    if (added !== 'added' && added !== 'open')
      throw new PaymentsError('reference_used', NO_MORE_PAYMENTS[added]);
    // pages that follow an earlier payment follow the order
    for (const payment of payments) feed.tell(payment.reference);
    const [newest] = (await store.findPaymentsOfOrder(orderId)).slice(-1);
    if (!newest) throw new Error('A payment was stored and is not there.');
    return { payment: newest, isNew: added === 'added' };
  }

  async #askWhetherPaid(payments: readonly Payment[]): Promise<void> {
    const { confirm, inTime } = this.#deps;
    if (payments.length)
      await inTime(
        () => Promise.all(payments.map((one) => confirm(one.reference, 'success'))),
        MAYBE_PAID,
      );
  }

  /**
   * Asks about payments that are over for their customer, who does not wait for the answer: if one
   * is paid late, a person sees it.
   */
  async #lookAt(payments: readonly Payment[]): Promise<void> {
    const { confirm, inTime } = this.#deps;
    if (!payments.length) return;
    const looks = () => Promise.allSettled(payments.map((one) => confirm(one.reference, 'look')));
    await inTime(looks).catch(() => {});
  }

  #isOpen(payment: Payment): boolean {
    const { answers, clock } = this.#deps;
    const isLeft =
      answers.isUntried(payment.reference) && clock.now() - payment.createdAt > SESSION_MS;
    return isAwaiting(payment) && !isLeft;
  }
}

/** Returns whether an order is paid, or a person looks at money that came for it. */
function isDecided(payments: readonly Payment[]): boolean {
  return payments.some(({ state }) => state === 'paid' || state === 'needs-review');
}

function isAwaiting({ state }: Payment): boolean {
  return state === 'awaiting-payment';
}
