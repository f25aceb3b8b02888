import { EVENTS } from '@service-pay/contract/webhook';
import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../database/database.ts';
import { IS_POLLED, PAYMENT_STATES, type PaymentState } from '../database/schema.ts';

/** The limit of each count, so that metrics of a large shop cost no more. */
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
    const inState = sql`select created_at as at from service_pay_payments where state = ${state}`;
    payments[state] = (await measure(inState)).count;
  }
  return {
    payments,
    overdue: await measure(sql`
      select check_at as at from service_pay_payments
      where ${IS_POLLED} and check_at <= ${now} order by check_at`),
    // Leaves out webhooks for references of other systems. A subselect, because PostgreSQL would
    // read every open payment for a join.
    deliveries: await measure(sql`
      select received_at as at from service_pay_webhook_deliveries as delivery
      where handled_at is null and event in (${sql.join(EVENTS)}) and (
        select ${IS_POLLED} from service_pay_payments as payment
        where payment.reference = delivery.reference)`),
    // literals, so that the partial index is used
    waiting: await measure(
      sql`select created_at as at from service_pay_fulfilments where state = 'waiting'`,
    ),
    parked: await measure(
      sql`select created_at as at from service_pay_fulfilments where state = 'parked'`,
    ),
  };

  async function measure(which: RawBuilder<unknown>): Promise<Waiting> {
    const { rows } = await sql<{ count: number; first: number | null }>`
      select count(*) as count, min(at) as first
      from (${which} limit ${MOST_COUNTED}) as counted`.execute(db);
    const { count, first } = rows[0]!;
    return { count, oldestMs: first === null ? undefined : Math.max(0, now - first) };
  }
}
