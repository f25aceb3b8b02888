import { type Expression, type Kysely, sql } from 'kysely';

import { cast, compileForMany, compileOnce, type Given } from './compile-once.ts';
import type { Database } from './database.ts';
import { buildHandleDeliveries, buildPaidStatements } from './paid-statements.ts';
import type { PaymentState, Tables } from './tables.ts';

/** Payments of one order: far more than people try, and an end to a page that tries for ever. */
const MOST_PAYMENTS = 20;

/** The statements of the shop's store that every payment runs, compiled once for one database. */
export function buildShopStatements(kind: Database['kind']) {
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

    /**
     * Gives nothing where the order is unknown, paid, or takes no more payments, or this one is
     * stored already. One that was told of before is due at once (T86).
     */
    addPayment: compileOnce(
      (
        db,
        given: Given<{
          reference: string;
          orderId: string;
          checkAt: number;
          now: number;
          pauseMs: number;
        }>,
      ) =>
        db
          .insertInto('payments')
          .columns([
            'reference',
            'order_id',
            'amount',
            'currency',
            'state',
            'created_at',
            'moved_at',
            'check_at',
            'check_pause_ms',
          ])
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
              .where(({ not, exists }) =>
                not(
                  exists(
                    ofOrder(db, given('orderId'))
                      .select('reference')
                      .where('state', '=', 'needs-review'),
                  ),
                ),
              )
              .where(
                ({ fn }) => ofOrder(db, given('orderId')).select(fn.countAll<number>().as('count')),
                '<',
                MOST_PAYMENTS,
              ),
          )
          .onConflict((conflict) => conflict.doNothing())
          .returning('reference'),
    ),

    ...buildPaidStatements(kind),

    /**
     * Gives the deliveries that were not stored yet. One whose payment is decided leaves nothing to
     * do.
     */
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

    /** Which of these, of all that are stored, nobody has handled. */
    findWaiting: compileForMany((db, rows: readonly Given<{ id: string }>[]) =>
      db
        .selectFrom('webhook_deliveries')
        .select('id')
        .where(
          'id',
          'in',
          rows.map((row) => row('id')),
        )
        .where('handled_at', 'is', null),
    ),

    handleDeliveries: buildHandleDeliveries(),
  };
}

function ofOrder(db: Kysely<Tables>, orderId: Expression<string>) {
  return db.selectFrom('payments').where('order_id', '=', orderId);
}

/**
 * Payments with the browser that made their order. No join: SQLite plans one anew each time its
 * values are bound.
 */
export function selectPayments(db: Kysely<Tables>) {
  return db
    .selectFrom('payments')
    .select((eb) => [
      'reference',
      'order_id as orderId',
      eb
        .selectFrom('orders')
        .select('browser_id')
        .whereRef('orders.id', '=', 'payments.order_id')
        .$asScalar()
        .$notNull()
        .as('browserId'),
      'amount',
      'currency',
      'state',
      'review_reason as reviewReason',
      'created_at as createdAt',
    ]);
}
