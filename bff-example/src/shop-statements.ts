import { type Expression, type Kysely, sql } from 'kysely';

import { compileForMany, compileOnce, type Given } from './compile-once.ts';
import type { Database } from './database.ts';
import type { PaymentState, Tables } from './tables.ts';

/** States that what the service says may move a payment out of. */
export const OPEN_STATES = ['awaiting-payment', 'failed', 'expired'] as const satisfies PaymentState[];

/** Spelled out and not bound, so that the index of just these payments is used. */
export const IS_ASKED_ABOUT = sql<boolean>`state not in ('paid', 'refused')`;

/** Payments of one order: far more than people try, and an end to a page that tries for ever. */
const MOST_PAYMENTS = 20;

/** The time of the database itself, which instances with clocks of their own agree on (T111). */
export const POSTGRES_NOW = sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`;

/** A claim of one payment, as it was read and as it is to be written. */
interface Claim {
  reference: string;
  readCheckAt: number;
  checkAt: number;
  pauseMs: number;
}

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

    /** News starts the pauses anew. */
    askBy: compileForMany((db, rows: readonly Given<{ reference: string }>[], given: Given<{ checkAt: number; pauseMs: number }>) =>
      db
        .updateTable('payments')
        .set({ check_at: given('checkAt'), check_pause_ms: given('pauseMs') })
        .where(
          'reference',
          'in',
          rows.map((row) => row('reference')),
        )
        .where(IS_ASKED_ABOUT)
        .where('check_at', '>', given('checkAt')),
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

    /** On PostgreSQL, rows that another instance claims at this moment are left to it. */
    findDue: compileOnce((db, given: Given<{ now: number; limit: number }>) => {
      const due = db
        .selectFrom('payments')
        .select(['reference', 'created_at', 'check_at', 'check_pause_ms'])
        .where(IS_ASKED_ABOUT)
        .where('check_at', '<=', given('now'))
        .orderBy('check_at')
        .limit(given('limit'));
      return kind === 'postgres' ? due.forUpdate().skipLocked() : due;
    }),

    /** Gives the payments that nobody else has claimed since they were read. */
    claim: compileForMany((db, rows: readonly Given<Claim>[]) => {
      const values = rows.map(
        (row) =>
          sql`(${cast(row('reference'), 'text')}, ${cast(row('readCheckAt'), 'bigint')}, ${cast(row('checkAt'), 'bigint')}, ${cast(row('pauseMs'), 'bigint')})`,
      );
      return db
        .updateTable('payments')
        .from(sql<{ column1: string; column2: number; column3: number; column4: number }>`(values ${sql.join(values)})`.as('claimed'))
        .set((eb) => ({ check_at: eb.ref('claimed.column3'), check_pause_ms: eb.ref('claimed.column4') }))
        .whereRef('payments.reference', '=', 'claimed.column1')
        .whereRef('payments.check_at', '=', 'claimed.column2')
        .returning('payments.reference as reference');
    }),

    /**
     * Gives the payments that nobody asked about a moment ago. A time far to come is that of a clock that was set back. Everybody
     * takes rows in one order, as deliveries.
     */
    claimAsks: compileForMany(
      (db, rows: readonly Given<{ reference: string }>[], given: Given<{ now: number; before: number; after: number }>) => {
        const values = sql.join(rows.map((row) => sql`(${cast(row('reference'), 'text')} collate "C")`));
        return db
          .insertInto('asks')
          .columns(['reference', 'asked_at'])
          .expression((eb) =>
            eb
              .selectFrom(sql<{ column1: string }>`(values ${values})`.as('asked'))
              .select(['asked.column1 as reference', cast(given('now'), 'bigint').as('asked_at')])
              .distinct()
              .orderBy('asked.column1'),
          )
          .onConflict((conflict) =>
            conflict
              .column('reference')
              .doUpdateSet((eb) => ({ asked_at: eb.ref('excluded.asked_at') }))
              .where((eb) => eb.or([eb('asks.asked_at', '<=', given('before')), eb('asks.asked_at', '>', given('after'))])),
          )
          .returning('reference');
      },
    ),

    forgetAsks: compileOnce((db, given: Given<{ before: number }>) => db.deleteFrom('asks').where('asked_at', '<', given('before'))),
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

/** PostgreSQL takes a value whose type it cannot see for text. */
export function cast<Value>(value: Expression<Value>, type: 'text' | 'bigint') {
  return sql<Value>`cast(${value} as ${sql.raw(type)})`;
}
