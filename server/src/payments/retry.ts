import { PaymentsError } from '../errors.ts';
import { newReference } from './create.ts';
import { inTime, type OrderParts } from './order-state.ts';
import { isOpen, type Payment } from './payment.ts';
import { FIRST_PAUSE_MS } from './reconciler.ts';

const NO_MORE_PAYMENTS = {
  paid: 'This order is paid already. There is nothing more to pay.',
  'in-review': 'A payment of this order arrived and the shop is looking at it. Do not pay again.',
  'too-many': 'This order was tried too often. Place a new one.',
} as const;

const MAYBE_PAID =
  'The shop cannot learn right now whether you have paid this order already. No new payment was begun: try again in a moment.';

/**
 * Returns the order's newest open payment, however old, or a new one if the service reports each
 * earlier one as failed (D61, see `Payments.retry`).
 */
export async function retryOrder(
  earlier: readonly Payment[],
  { store, confirm, feed, clock }: OrderParts,
): Promise<{ payment: Payment; isNew: boolean }> {
  if (!isDecided(earlier)) {
    const confirms = earlier.map((payment) =>
      isOpen(payment)
        ? confirm(payment, 'success')
        : // if a failed one is paid late, a person decides; the customer does not wait for that
          confirm(payment, 'page').catch(() => undefined),
    );
    await inTime(clock, Promise.all(confirms)).catch((error: unknown) => {
      if (!(error instanceof PaymentsError && error.code === 'not_known_yet')) throw error;
      const { retryAfterSeconds } = error;
      throw new PaymentsError(error.code, MAYBE_PAID, { cause: error, retryAfterSeconds });
    });
  }
  const now = clock.now();
  const reference = newReference(now);
  const { orderId } = earlier[0]!;
  const payment = await store.addPayment(
    orderId,
    { reference, checkAt: now + FIRST_PAUSE_MS, now },
    isOpen,
  );
  if (typeof payment === 'string')
    throw new PaymentsError('reference_used', NO_MORE_PAYMENTS[payment]);
  const isNew = payment.reference === reference;
  if (isNew) feed.tell(orderId);
  return { payment, isNew };
}

function isDecided(payments: readonly Payment[]): boolean {
  return payments.some(({ state }) => state === 'paid' || state === 'needs-review');
}
