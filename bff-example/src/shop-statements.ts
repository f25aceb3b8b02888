import { type Expression, type Kysely, sql } from 'kysely';

import { cast, compileForMany, compileOnce, type Given } from './compile-once.ts';
import type { PaymentState, Tables } from './tables.ts';

/** States that what the service says may move a payment out of. */
export const OPEN_STATES = ['awaiting-payment', 'failed', 'expired'] as const satisfies PaymentState[];

/** Payments of one order: far more than people try, and an end to a page that tries for ever. */
const MOST_PAYMENTS = 20;

/** The statements of the shop's store that every payment runs, compiled once for one database. */
export function buildShopStatements() {
  return {
    findPayments: compileForMany((db, rows: readonly Given<{ reference: string }>[]) =>
      selectPayments(db).where(
        'reference',
        'in',
        rows.map((row) => row('reference')),
      ),
    ),

    findStates: compileForMany((db, rows: readonly Given<{ reference: string }>[]) =>
      db
        .selectFrom('payments')
        .select(['reference', 'state'])
        .where(
          'reference',
          'in',
          rows.map((row) => row('reference')),
        ),
    ),

    findOrders: compileForMany((db, rows: readonly Given<{ id: string }>[]) =>
      db
        .selectFrom('orders')
        .select(['id', 'browser_id as browserId', 'customer', 'lines', 'amount', 'currency'])
        .where(
          'id',
          'in',
          rows.map((row) => row('id')),
        ),
    ),

    /** Gives nothing where the order is stored already. */
    addOrder: compileOnce((db, given: Given<Omit<Tables['orders'], 'paid_reference'>>) =>
      db
        .insertInto('orders')
        .values({
          id: given('id'),
          browser_id: given('browser_id'),
          customer: given('customer'),
          lines: given('lines'),
          amount: given('amount'),
          currency: given('currency'),
          paid_reference: null,
          created_at: given('created_at'),
        })
        .onConflict((conflict) => conflict.doNothing())
        .returning('id'),
    ),

    /** Gives nothing where the order is unknown, paid, or takes no more payments, or this one is stored already. One that was told of before is due at once (T86). */
    addPayment: compileOnce((db, given: Given<{ reference: string; orderId: string; checkAt: number; now: number; pauseMs: number }>) =>
      db
        .insertInto('payments')
        .columns(['reference', 'order_id', 'amount', 'currency', 'state', 'created_at', 'moved_at', 'check_at', 'check_pause_ms'])
        .expression((eb) =>
          eb
            .selectFrom('orders')
            .select([
              cast(given('reference'), 'text').as('reference'),
              'id',
              'amount',
              'currency',
              sql<PaymentState>`'awaiting-payment'`.as('state'),
              cast(given('now'), 'bigint').as('created_at'),
              cast(given('now'), 'bigint').as('moved_at'),
              eb
                .case()
                .when(
                  eb.exists(
                    eb
                      .selectFrom('webhook_deliveries')
                      .select('id')
                      .where('reference', '=', given('reference'))
                      .where('handled_at', 'is', null),
                  ),
                )
                .then(cast(given('now'), 'bigint'))
                .else(cast(given('checkAt'), 'bigint'))
                .end()
                .as('check_at'),
              cast(given('pauseMs'), 'bigint').as('check_pause_ms'),
            ])
            .where('id', '=', given('orderId'))
            .where('paid_reference', 'is', null)
            .where(({ not, exists }) => not(exists(ofOrder(db, given('orderId')).select('reference').where('state', '=', 'needs-review'))))
            .where(({ fn }) => ofOrder(db, given('orderId')).select(fn.countAll<number>().as('count')), '<', MOST_PAYMENTS),
        )
        .onConflict((conflict) => conflict.doNothing())
        .returning('reference'),
    ),

    payOpen: buildMoveToPaid(OPEN_STATES),
    payReviewed: buildMoveToPaid(['needs-review']),

    /** Gives the payments whose order was not paid before. Of several for one order that is the first. */
    takeOrders: compileForMany((db, rows: readonly Given<{ orderId: string; reference: string }>[]) =>
      db
        .updateTable('orders')
        .set({ paid_reference: chooseBy('id', rows, 'orderId', (row) => cast(row('reference'), 'text')) })
        .where(
          'id',
          'in',
          rows.map((row) => row('orderId')),
        )
        .where('paid_reference', 'is', null)
        .returning('paid_reference as reference'),
    ),

    /** Of orders that were taken in the same transaction. */
    addFulfilments: compileForMany((db, rows: readonly Given<{ orderId: string }>[], given: Given<{ now: number }>) =>
      db
        .insertInto('fulfilments')
        .columns(['order_id', 'reference', 'state', 'attempts', 'due_at', 'lease_owner', 'lease_version', 'lease_until', 'created_at'])
        .expression((eb) =>
          eb
            .selectFrom('orders')
            .select([
              'id',
              sql<string>`paid_reference`.as('reference'),
              sql<'waiting'>`'waiting'`.as('state'),
              sql<number>`0`.as('attempts'),
              cast(given('now'), 'bigint').as('due_at'),
              sql<string | null>`cast(null as text)`.as('lease_owner'),
              sql<number>`0`.as('lease_version'),
              sql<number>`0`.as('lease_until'),
              cast(given('now'), 'bigint').as('created_at'),
            ])
            .where(
              'id',
              'in',
              rows.map((row) => row('orderId')),
            ),
        ),
    ),

    /** Gives the deliveries that were not stored yet. One whose payment is decided leaves nothing to do. */
    addDeliveries: compileForMany((db, rows: readonly Given<Tables['webhook_deliveries']>[]) =>
      db
        .insertInto('webhook_deliveries')
        .values((eb) =>
          rows.map((given) => ({
            id: given('id'),
            event: given('event'),
            reference: given('reference'),
            body: given('body'),
            received_at: given('received_at'),
            handled_at: eb.fn.coalesce(
              cast(given('handled_at'), 'bigint'),
              eb
                .selectFrom('payments')
                .select(cast(given('received_at'), 'bigint').as('at'))
                .where('reference', '=', given('reference'))
                .where(sql<boolean>`state in ('paid', 'refused')`),
            ),
          })),
        )
        .onConflict((conflict) => conflict.doNothing())
        .returning('id'),
    ),

    /** Marks what was told of payments that are decided now. */
    handleDeliveries: compileForMany((db, rows: readonly Given<{ reference: string }>[], given: Given<{ now: number }>) =>
      db
        .updateTable('webhook_deliveries')
        .set({ handled_at: given('now') })
        .where(
          'reference',
          'in',
          rows.map((row) => row('reference')),
        )
        .where('handled_at', 'is', null),
    ),
  };
}

function ofOrder(db: Kysely<Tables>, orderId: Expression<string>) {
  return db.selectFrom('payments').where('order_id', '=', orderId);
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

/**
 * Gives the payments that were in one of these states. They are moved before their orders are looked at, so that two moves of one
 * payment at the same moment are decided by its row.
 */
function buildMoveToPaid(from: readonly PaymentState[]) {
  return compileForMany((db, rows: readonly Given<{ reference: string }>[], given: Given<{ now: number }>) =>
    db
      .updateTable('payments')
      .set({ state: 'paid', moved_at: given('now') })
      .where(
        'reference',
        'in',
        rows.map((row) => row('reference')),
      )
      .where('state', 'in', from)
      .returning(['reference', 'order_id as orderId']),
  );
}

/** The value of the row whose key a column equals. No join: SQLite plans one anew each time its values are bound. */
function chooseBy<Item, Value>(
  column: string,
  rows: readonly Given<Item>[],
  key: keyof Item,
  choose: (row: Given<Item>) => Expression<Value>,
) {
  const cases = rows.map((row) => sql`when ${row(key)} then ${choose(row)}`);
  return sql<Value>`case ${sql.ref(column)} ${sql.join(cases, sql` `)} end`;
}
