import { sql, type Transaction } from 'kysely';

import type { PaymentState, Tables } from '../database/schema.ts';

/** States that the service's answer may move a payment out of. */
export const OPEN_STATES = [
  'awaiting-payment',
  'failed',
  'expired',
] as const satisfies PaymentState[];

export const PAID_BEFORE = 'order already paid';

/** Moves a payment out of one of these states, with its deliveries. Returns whether it did. */
export async function move(
  trx: Transaction<Tables>,
  reference: string,
  from: readonly PaymentState[],
  to: PaymentState,
  now: number,
  reason?: string,
): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('service_pay_payments')
    .set({ state: to, moved_at: now, ...(reason && { review_reason: reason }) })
    .where('reference', '=', reference)
    .where('state', 'in', from)
    .executeTakeFirst();
  if (!numUpdatedRows) return false;
  await handleDeliveries(trx, reference, now);
  return true;
}

/** Adds the order's only fulfilment, and returns false if another payment of the order has. */
export async function addFulfilment(trx: Transaction<Tables>, reference: string): Promise<boolean> {
  const { numAffectedRows } = await sql`
    insert into service_pay_fulfilments
      (order_id, reference, state, attempts, due_at, lease_version, lease_until, created_at)
    select order_id, reference, 'waiting', 0, moved_at, 0, 0, moved_at
    from service_pay_payments where reference = ${reference}
    on conflict (order_id) do nothing`.execute(trx);
  return numAffectedRows === 1n;
}

export async function handleDeliveries(
  trx: Transaction<Tables>,
  reference: string,
  now: number,
): Promise<void> {
  await sql`update service_pay_webhook_deliveries set handled_at = ${now}
    where reference = ${reference} and handled_at is null`.execute(trx);
}
