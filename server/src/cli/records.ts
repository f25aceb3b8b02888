import { type Kysely, sql } from 'kysely';
import type { Tables } from '../database/schema.ts';

export function selectPayments(db: Kysely<Tables>) {
  return db
    .selectFrom('service_pay_payments')
    .select(['reference', 'state', 'amount', 'currency', 'created_at as createdAt'])
    .select(['moved_at as stateSince', 'review_reason as reason']);
}

export function selectFulfilments(db: Kysely<Tables>) {
  return db
    .selectFrom('service_pay_fulfilments')
    .select(['reference', 'state', 'created_at as paidAt', 'attempts'])
    .select(sql<number | null>`case when state = 'waiting' then due_at end`.as('nextTryAt'))
    .select(['done_at as doneAt', 'last_error as lastError']);
}

/** Selects paid orders that are not fulfilled, those that failed most often first. */
export function selectUnfulfilled(db: Kysely<Tables>, state: 'waiting' | 'parked') {
  return selectFulfilments(db)
    .where(sql<boolean>`state = ${sql.lit(state)}`) // a literal, so that the partial index is used
    .orderBy('attempts', 'desc')
    .orderBy('created_at');
}

/** Selects webhooks, the newest first, each with the start of its id. */
export function selectDeliveries(db: Kysely<Tables>) {
  return db
    .selectFrom('service_pay_webhook_deliveries')
    .select([sql<string>`substr(id, 1, 12)`.as('delivery'), 'event', 'reference'])
    .select(['received_at as receivedAt', 'handled_at as handledAt'])
    .orderBy('received_at', 'desc');
}

/** Selects webhooks of payments that were started at or after `since`. */
export function selectDeliveriesOf(db: Kysely<Tables>, references: string[], since: number) {
  return selectDeliveries(db)
    .where('received_at', '>=', since)
    .where('reference', 'in', references);
}

/** Selects who accepted, refused, redrove or closed these payments, the oldest decision first. */
export function selectDecisions(db: Kysely<Tables>, references: string[]) {
  return db
    .selectFrom('service_pay_decisions')
    .select(['decided_at as decidedAt', 'decision', 'who', 'reference', 'reason'])
    .where('reference', 'in', references)
    .orderBy('decided_at');
}
