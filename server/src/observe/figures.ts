import { EVENTS } from '@service-pay/contract/webhook';
import { type AliasedExpression, type Kysely, sql } from 'kysely';
import { ASKED_ABOUT_STATES, IS_ASKED_ABOUT } from '../database/asking-queries.ts';
import type { Database } from '../database/open.ts';
import { PAYMENT_STATES, type PaymentState, type Tables } from '../database/schema.ts';

/** Counting stops here, so that figures of a large shop cost no more. */
const MOST_COUNTED = 10_000;

export interface Waiting {
  count: number;
  oldestMs: number | undefined;
}

export interface ShopFigures {
  payments: Record<PaymentState, number>;
  overdue: Waiting;
  deliveries: Waiting;
  waiting: Waiting;
  parked: Waiting;
}

export async function readFigures({ db }: Database, now: number): Promise<ShopFigures> {
  const payments = {} as ShopFigures['payments'];
  for (const state of PAYMENT_STATES) {
    payments[state] = (await count(db, selectPayments(db, state), now)).count;
  }
  return {
    payments,
    overdue: await count(db, selectOverdue(db, now), now),
    deliveries: await count(db, selectNotHandled(db), now),
    waiting: await count(db, selectFulfilments(db, 'waiting'), now),
    parked: await count(db, selectFulfilments(db, 'parked'), now),
  };
}

function selectPayments(db: Kysely<Tables>, state: PaymentState) {
  return db
    .selectFrom('service_pay_payments')
    .select('created_at as at')
    .where('state', '=', state)
    .limit(MOST_COUNTED)
    .as('some');
}

function selectOverdue(db: Kysely<Tables>, now: number) {
  return db
    .selectFrom('service_pay_payments')
    .select('check_at as at')
    .where(IS_ASKED_ABOUT)
    .where('check_at', '<=', now)
    .orderBy('check_at')
    .limit(MOST_COUNTED)
    .as('some');
}

/** Leaves out what came for references of another system, which nobody waits for. */
function selectNotHandled(db: Kysely<Tables>) {
  return db
    .selectFrom('service_pay_webhook_deliveries as delivery')
    .select('received_at as at')
    .where('handled_at', 'is', null)
    .where('event', 'in', EVENTS)
    .where(({ eb, selectFrom }) => {
      // PostgreSQL makes no join of a subselect, for which it would read every open payment
      const state = selectFrom('service_pay_payments')
        .select('state')
        .whereRef('service_pay_payments.reference', '=', 'delivery.reference');
      return eb(state, 'in', ASKED_ABOUT_STATES);
    })
    .limit(MOST_COUNTED)
    .as('some');
}

function selectFulfilments(db: Kysely<Tables>, state: 'waiting' | 'parked') {
  return db
    .selectFrom('service_pay_fulfilments')
    .select('created_at as at')
    .where(sql<boolean>`state = ${sql.lit(state)}`) // not bound, so that its index is used
    .limit(MOST_COUNTED)
    .as('some');
}

async function count(
  db: Kysely<Tables>,
  rows: AliasedExpression<{ at: number }, 'some'>,
  now: number,
): Promise<Waiting> {
  const { count, first } = await db
    .selectFrom(rows)
    .select((eb) => [eb.fn.countAll().as('count'), eb.fn.min('some.at').as('first')])
    .executeTakeFirstOrThrow();
  const oldestMs = first === null ? undefined : Math.max(0, now - Number(first));
  return { count: Number(count), oldestMs };
}
