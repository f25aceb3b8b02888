import { type Expression, type Kysely, sql } from 'kysely';

import { cast, compileForMany, type Given } from './compile-once.ts';
import type { Database } from './database.ts';
import type { PaymentState, Tables } from './tables.ts';

/** States that what the service says may move a payment out of. */
export const OPEN_STATES = [
  'awaiting-payment',
  'failed',
  'expired',
] as const satisfies PaymentState[];

/** What became of a payment that was paid: its order was paid for the first time, or before. */
export type Paid = 'paid' | 'needs-review';

/**
 * Moves payments, each with its order, its fulfilment and what was told of it, and gives those that
 * could be moved. Of several for one order the first takes it. Rows are taken in one order, so that
 * two instances with the same payments do not wait for each other in a circle.
 */
export type Pay = (
  trx: Kysely<Tables>,
  payments: readonly Named[],
  shared: At,
) => Promise<{ reference: string; state: Paid }[]>;

/** The states a payment may be in, and what it becomes where its order was paid before. */
interface Rule {
  from: readonly PaymentState[];
  otherwise: Paid;
}

interface Named {
  reference: string;
}

interface At {
  now: number;
}

/** Why a payment needs review whose order was paid before. */
export const PAID_BEFORE = 'order already paid';

/**
 * What the service confirms, and what a person says yes to (D51). The moves are the same on both
 * databases. A server is told of payments, orders and fulfilments at once, for a round trip takes
 * longer than they do.
 */
export function buildPaidStatements(kind: Database['kind']): {
  payConfirmed: Pay;
  payAccepted: Pay;
} {
  const build = kind === 'sqlite' ? buildPayInSteps : buildPayAtOnce;
  return {
    payConfirmed: build({ from: OPEN_STATES, otherwise: 'needs-review' }),
    payAccepted: build({ from: ['needs-review'], otherwise: 'paid' }),
  };
}

/**
 * Payments are moved before their orders are looked at, so that two moves of one payment at the
 * same moment are decided by its row.
 */
function buildPayInSteps({ from, otherwise }: Rule): Pay {
  const movePayments = compileForMany((db, rows: readonly Given<Named>[], given: Given<At>) =>
    db
      .updateTable('payments')
      .set({ state: 'paid', moved_at: given('now') })
      .where('reference', 'in', each(rows, 'reference'))
      .where(isIn(from))
      .returning(['reference', 'order_id as orderId']),
  );

  const takeOrders = compileForMany((db, rows: readonly Given<Named & { orderId: string }>[]) =>
    db
      .updateTable('orders')
      .set({
        paid_reference: chooseBy('id', rows, 'orderId', (row) => cast(row('reference'), 'text')),
      })
      .where('id', 'in', each(rows, 'orderId'))
      .where('paid_reference', 'is', null)
      .returning('paid_reference as reference'),
  );

  const addFulfilments = compileForMany(
    (db, rows: readonly Given<{ orderId: string }>[], given: Given<At>) =>
      db
        .insertInto('fulfilments')
        .columns(FULFILMENT_COLUMNS)
        .expression((eb) =>
          eb
            .selectFrom('orders')
            .select(newFulfilment(given))
            .where('id', 'in', each(rows, 'orderId')),
        ),
  );

  const setAside = compileForMany((db, rows: readonly Given<Named>[]) =>
    db
      .updateTable('payments')
      .set({ state: otherwise, review_reason: PAID_BEFORE })
      .where('reference', 'in', each(rows, 'reference')),
  );

  const handleDeliveries = buildHandleDeliveries();

  return async (trx, payments, shared) => {
    const moved = (await movePayments(trx, payments, shared)).sort((one, other) =>
      one.reference < other.reference ? -1 : 1,
    );
    if (!moved.length) return [];
    await handleDeliveries(trx, moved, shared);
    const taken = new Set((await takeOrders(trx, moved, {})).map(({ reference }) => reference));
    const firsts = moved.filter(({ reference }) => taken.has(reference));
    const seconds = moved.filter(({ reference }) => !taken.has(reference));
    if (firsts.length) await addFulfilments(trx, firsts, shared);
    if (seconds.length && otherwise !== 'paid') await setAside(trx, seconds, {});
    return moved.map(({ reference }) => ({
      reference,
      state: taken.has(reference) ? 'paid' : otherwise,
    }));
  };
}

/**
 * The same on PostgreSQL. Payments are locked before all else: a statement changes a row once, and
 * what a payment becomes is known when its order was asked for. Orders are joined, so that one that
 * was taken while it was waited for is seen, and named besides: a plan that was made when there
 * were few might else read all of them. What is told of a payment is marked afterwards, for it may
 * have been stored while the payment was waited for.
 */
function buildPayAtOnce({ from, otherwise }: Rule): Pay {
  const handleDeliveries = buildHandleDeliveries();
  const movePayments = compileForMany((db, rows: readonly Given<Named>[], given: Given<At>) =>
    db
      .with('open', (cte) =>
        cte
          .selectFrom('payments')
          .select(['reference', 'order_id'])
          .where('reference', 'in', each(rows, 'reference'))
          .where(isIn(from))
          .orderBy('reference')
          .forUpdate(),
      )
      .with('taken', (cte) =>
        cte
          .updateTable('orders')
          .from((eb) =>
            eb
              .selectFrom('open')
              .select((first) => ['open.order_id', first.fn.min('open.reference').as('reference')])
              .groupBy('open.order_id')
              .as('first'),
          )
          .set((eb) => ({ paid_reference: eb.ref('first.reference') }))
          .whereRef('orders.id', '=', 'first.order_id')
          .where('orders.id', 'in', (eb) => eb.selectFrom('open').select('open.order_id'))
          .where('orders.paid_reference', 'is', null)
          .returning(['orders.id', 'orders.paid_reference']),
      )
      .with('added', (cte) =>
        cte
          .insertInto('fulfilments')
          .columns(FULFILMENT_COLUMNS)
          .expression((eb) => eb.selectFrom('taken').select(newFulfilment(given))),
      )
      .updateTable('payments')
      .from('open')
      .set((eb) => {
        const isFirst = eb.exists(
          eb
            .selectFrom('taken')
            .select('taken.id')
            .whereRef('taken.paid_reference', '=', 'open.reference'),
        );
        const reason = eb.ref('payments.review_reason');
        return {
          state: eb.case().when(isFirst).then(sql.lit<Paid>('paid')).else(sql.lit(otherwise)).end(),
          review_reason: eb
            .case()
            .when(isFirst)
            .then(reason)
            .else(otherwise === 'paid' ? reason : sql.lit(PAID_BEFORE))
            .end(),
          moved_at: given('now'),
        };
      })
      .whereRef('payments.reference', '=', 'open.reference')
      .returning(['payments.reference', 'payments.state'])
      .$castTo<{ reference: string; state: Paid }>(),
  );
  return async (trx, payments, shared) => {
    const moved = await movePayments(trx, payments, shared);
    if (moved.length) await handleDeliveries(trx, moved, shared);
    return moved;
  };
}

/** Marks what was told of payments that are decided now. */
export function buildHandleDeliveries() {
  return compileForMany((db, rows: readonly Given<Named>[], given: Given<At>) =>
    db
      .updateTable('webhook_deliveries')
      .set({ handled_at: given('now') })
      .where('reference', 'in', each(rows, 'reference'))
      .where('handled_at', 'is', null),
  );
}

const FULFILMENT_COLUMNS = [
  'order_id',
  'reference',
  'state',
  'attempts',
  'due_at',
  'lease_owner',
  'lease_version',
  'lease_until',
  'created_at',
] as const;

/** What is to be handed over of an order that was taken in the same transaction. */
function newFulfilment(given: Given<At>) {
  return [
    sql<string>`id`.as('order_id'),
    sql<string>`paid_reference`.as('reference'),
    sql<'waiting'>`'waiting'`.as('state'),
    sql<number>`0`.as('attempts'),
    cast(given('now'), 'bigint').as('due_at'),
    sql<string | null>`cast(null as text)`.as('lease_owner'),
    sql<number>`0`.as('lease_version'),
    sql<number>`0`.as('lease_until'),
    cast(given('now'), 'bigint').as('created_at'),
  ] as const;
}

/**
 * Said so that no index of states is used for it: SQLite does not know how many payments are in
 * one, and took that for few among a million.
 */
function isIn(states: readonly PaymentState[]) {
  return sql<boolean>`state || '' in (${sql.join(states.map((state) => sql.lit(state)))})`;
}

function each<Item, Name extends keyof Item>(
  rows: readonly Given<Item>[],
  name: Name,
): Expression<Item[Name]>[] {
  return rows.map((row) => row(name));
}

/**
 * The value of the row whose key a column equals. No join: SQLite plans one anew each time its
 * values are bound.
 */
function chooseBy<Item, Value>(
  column: string,
  rows: readonly Given<Item>[],
  key: keyof Item,
  choose: (row: Given<Item>) => Expression<Value>,
) {
  const cases = rows.map((row) => sql`when ${row(key)} then ${choose(row)}`);
  return sql<Value>`case ${sql.ref(column)} ${sql.join(cases, sql` `)} end`;
}
