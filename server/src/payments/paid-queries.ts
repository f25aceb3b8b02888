import type { Transaction } from 'kysely';

import type { PaymentState, Tables } from '../database/schema.ts';

/** States that the service's answer may move a payment out of. */
export const OPEN_STATES = [
  'awaiting-payment',
  'failed',
  'expired',
] as const satisfies PaymentState[];

export type Paid = 'paid' | 'needs-review';

interface PayRule {
  from: readonly PaymentState[];
  otherwise: Paid;
}

export const CONFIRMED: PayRule = { from: OPEN_STATES, otherwise: 'needs-review' };

/** A person says yes to a payment (D51). */
export const ACCEPTED: PayRule = { from: ['needs-review'], otherwise: 'paid' };

export const PAID_BEFORE = 'order already paid';

/**
 * Moves a payment with its fulfilment and its deliveries. Returns its new state, or undefined if it
 * could not be moved. The payment's row decides between two moves of it, and the order's only
 * fulfilment between two of its payments.
 */
export async function pay(
  trx: Transaction<Tables>,
  reference: string,
  now: number,
  { from, otherwise }: PayRule,
): Promise<Paid | undefined> {
  const moved = await trx
    .updateTable('service_pay_payments')
    .set({ state: 'paid', moved_at: now })
    .where('reference', '=', reference)
    .where('state', 'in', from)
    .returning('order_id')
    .executeTakeFirst();
  if (!moved) return undefined;
  await handleDeliveries(trx, reference, now);
  if (await addFulfilment(trx, moved.order_id, reference, now)) return 'paid';
  if (otherwise === 'needs-review')
    await trx
      .updateTable('service_pay_payments')
      .set({ state: otherwise, review_reason: PAID_BEFORE })
      .where('reference', '=', reference)
      .execute();
  return otherwise;
}

export async function handleDeliveries(
  trx: Transaction<Tables>,
  reference: string,
  now: number,
): Promise<void> {
  await trx
    .updateTable('service_pay_webhook_deliveries')
    .set({ handled_at: now })
    .where('reference', '=', reference)
    .where('handled_at', 'is', null)
    .execute();
}

async function addFulfilment(
  trx: Transaction<Tables>,
  orderId: string,
  reference: string,
  now: number,
): Promise<boolean> {
  const added = await trx
    .insertInto('service_pay_fulfilments')
    .values({
      order_id: orderId,
      reference,
      state: 'waiting',
      attempts: 0,
      due_at: now,
      lease_owner: null,
      lease_version: 0,
      lease_until: 0,
      created_at: now,
    })
    .onConflict((conflict) => conflict.column('order_id').doNothing())
    .returning('order_id')
    .executeTakeFirst();
  return added !== undefined;
}
