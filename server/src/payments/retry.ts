import { PaymentsError } from '../errors.ts';
import { newReference } from './create.ts';
import { inTime, type OrderParts } from './order-state.ts';
import type { Payment } from './payment.ts';
import { FIRST_PAUSE_MS } from './reconciler.ts';

/** A customer may begin to pay this long (D37). An untried payment then makes room. */
const SESSION_MS = 30 * 60_000;

const NO_MORE_PAYMENTS = {
  paid: 'This order is paid already. There is nothing more to pay.',
  'in-review': 'A payment of this order arrived and the shop is looking at it. Do not pay again.',
  'too-many': 'This order was tried too often. Place a new one.',
} as const;

const MAYBE_PAID =
  'The shop cannot learn right now whether you have paid this order already. No new payment was begun: try again in a moment.';

/**
 * Returns the order's open payment, or a new one if the service says that the last one failed or
 * nobody tried to pay it for 30 minutes (see `Payments.retry`).
 */
export async function retryOrder(
  orderId: string,
  { store, confirm, answers, feed, clock }: OrderParts,
): Promise<{ payment: Payment; isNew: boolean }> {
  const earlier = await store.findPaymentsOfOrder(orderId);
  if (!isDecided(earlier)) {
    const asked = earlier.map((payment) =>
      isAwaiting(payment)
        ? confirm(payment.reference, 'success')
        : // if one that is over is paid late, a person sees it: its customer does not wait for that
          confirm(payment.reference, 'look').catch(() => undefined),
    );
    await inTime(clock, Promise.all(asked)).catch((error: unknown) => {
      if (!(error instanceof PaymentsError && error.code === 'not_known_yet')) throw error;
      const { retryAfterSeconds } = error;
      throw new PaymentsError(error.code, MAYBE_PAID, { cause: error, retryAfterSeconds });
    });
  }
  const now = clock.now();
  const reference = newReference(now);
  const isOpen = (one: Payment) =>
    isAwaiting(one) && !(answers.find(one.reference) === null && now - one.createdAt > SESSION_MS);
  const payment = await store.addPayment(orderId, reference, now + FIRST_PAUSE_MS, now, isOpen);
  if (typeof payment === 'string')
    throw new PaymentsError('reference_used', NO_MORE_PAYMENTS[payment]);
  const isNew = payment.reference === reference;
  if (isNew) feed.tell(orderId);
  return { payment, isNew };
}

function isDecided(payments: readonly Payment[]): boolean {
  return payments.some(({ state }) => state === 'paid' || state === 'needs-review');
}

function isAwaiting({ state }: Payment): boolean {
  return state === 'awaiting-payment';
}
