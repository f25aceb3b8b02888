import { EVENTS } from '@service-pay/contract/webhook';
import { type SelectQueryBuilder, sql } from 'kysely';
import type { Database } from '../database/open.ts';
import {
  ASKED_ABOUT_STATES,
  IS_ASKED_ABOUT,
  PAYMENT_STATES,
  type PaymentState,
  type Tables,
} from '../database/schema.ts';

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
  const ofPayments = db.selectFrom('service_pay_payments');
  const ofFulfilments = db.selectFrom('service_pay_fulfilments').select('created_at as at');
  const payments = {} as ShopFigures['payments'];
  for (const state of PAYMENT_STATES) {
    const inState = ofPayments.select('created_at as at').where('state', '=', state);
    payments[state] = (await measure(inState)).count;
  }
  return {
    payments,
    overdue: await measure(
      ofPayments
        .select('check_at as at')
        .where(IS_ASKED_ABOUT)
        .where('check_at', '<=', now)
        .orderBy('check_at'),
    ),
    // leaves out what came for references of another system, which nobody waits for
    deliveries: await measure(
      db
        .selectFrom('service_pay_webhook_deliveries')
        .select('received_at as at')
        .where('handled_at', 'is', null)
        .where('event', 'in', EVENTS)
        .where(({ eb, selectFrom }) => {
          // PostgreSQL makes no join of a subselect, for which it would read every open payment
          const state = selectFrom('service_pay_payments')
            .select('state')
            .whereRef(
              'service_pay_payments.reference',
              '=',
              'service_pay_webhook_deliveries.reference',
            );
          return eb(state, 'in', ASKED_ABOUT_STATES);
        }),
    ),
    // not bound, so that their index is used
    waiting: await measure(ofFulfilments.where(sql<boolean>`state = 'waiting'`)),
    parked: await measure(ofFulfilments.where(sql<boolean>`state = 'parked'`)),
  };

  async function measure(
    rows: SelectQueryBuilder<Tables, keyof Tables, { at: number }>,
  ): Promise<Waiting> {
    const { count, first } = await db
      .selectFrom(rows.limit(MOST_COUNTED).as('some'))
      .select((eb) => [eb.fn.countAll().as('count'), eb.fn.min('some.at').as('first')])
      .executeTakeFirstOrThrow();
    const oldestMs = first === null ? undefined : Math.max(0, now - Number(first));
    return { count: Number(count), oldestMs };
  }
}
