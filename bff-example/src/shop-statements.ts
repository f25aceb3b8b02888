import { type Kysely, sql } from 'kysely';

import { compileOnce, type Given } from './compile-once.ts';
import type { PaymentState, Tables } from './tables.ts';

/** States that what the service says may move a payment out of. */
export const OPEN_STATES = ['awaiting-payment', 'failed', 'expired'] as const satisfies PaymentState[];

/** Spelled out and not bound, so that the index of just these payments is used. */
export const IS_ASKED_ABOUT = sql<boolean>`state not in ('paid', 'refused')`;

/** The statements of the shop's store that every payment runs, compiled once for one database. */
export function buildShopStatements() {
  return {
    findPayment: compileOnce((db, given: Given<{ reference: string }>) => selectPayments(db).where('reference', '=', given('reference'))),

    findOrder: compileOnce((db, given: Given<{ id: string }>) =>
      db
        .selectFrom('orders')
        .select(['id', 'browser_id as browserId', 'customer', 'lines', 'amount', 'currency'])
        .where('id', '=', given('id')),
    ),

    payOpen: buildPaying(OPEN_STATES),
    payReviewed: buildPaying(['needs-review']),

    addFulfilment: compileOnce((db, given: Given<{ orderId: string; reference: string; now: number }>) =>
      db.insertInto('fulfilments').values({
        order_id: given('orderId'),
        reference: given('reference'),
        state: 'waiting',
        attempts: 0,
        due_at: given('now'),
        lease_owner: null,
        lease_version: 0,
        lease_until: 0,
        created_at: given('now'),
      }),
    ),

    /** Gives nothing where the delivery is stored already. */
    addDelivery: compileOnce((db, given: Given<Tables['webhook_deliveries']>) =>
      db
        .insertInto('webhook_deliveries')
        .values({
          id: given('id'),
          event: given('event'),
          reference: given('reference'),
          body: given('body'),
          received_at: given('received_at'),
        })
        .onConflict((conflict) => conflict.doNothing())
        .returning('id'),
    ),

    askBy: compileOnce((db, given: Given<{ reference: string; checkAt: number }>) =>
      db
        .updateTable('payments')
        .set({ check_at: given('checkAt') })
        .where('reference', '=', given('reference'))
        .where(IS_ASKED_ABOUT)
        .where('check_at', '>', given('checkAt')),
    ),
  };
}

/** Payments with the browser that made their order. No join: SQLite plans one anew each time its values are bound. */
export function selectPayments(db: Kysely<Tables>) {
  return db
    .selectFrom('payments')
    .select((eb) => [
      'reference',
      'order_id as orderId',
      eb.selectFrom('orders').select('browser_id').whereRef('orders.id', '=', 'payments.order_id').$asScalar().$notNull().as('browserId'),
      'amount',
      'currency',
      'state',
      'review_reason as reviewReason',
      'created_at as createdAt',
    ]);
}

/** The two writes that pay an order with a payment in one of these states: each gives nothing where it came too late. */
function buildPaying(from: readonly PaymentState[]) {
  return {
    takeOrder: compileOnce((db, given: Given<{ reference: string }>) =>
      db
        .updateTable('orders')
        .set({ paid_reference: given('reference') })
        .where('id', '=', (eb) =>
          eb.selectFrom('payments').select('order_id').where('reference', '=', given('reference')).where('state', 'in', from),
        )
        .where('paid_reference', 'is', null)
        .returning('id'),
    ),

    /** A reason of null leaves the one that is there. */
    movePayment: compileOnce((db, given: Given<{ reference: string; state: PaymentState; reviewReason: string | null; now: number }>) =>
      db
        .updateTable('payments')
        .set((eb) => ({
          state: given('state'),
          review_reason: eb.fn.coalesce(given('reviewReason'), 'review_reason'),
          moved_at: given('now'),
        }))
        .where('reference', '=', given('reference'))
        .where('state', 'in', from)
        .returning('reference'),
    ),
  };
}
