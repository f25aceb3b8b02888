import { sql } from 'kysely';
import type { Database } from '../database/open.ts';

export type StoredDelivery = Awaited<ReturnType<OperatorStore['findDeliveries']>>[number];

export class OperatorStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async findUnfulfilled(state: 'waiting' | 'parked', limit: number) {
    return this.#selectFulfilments()
      .where(sql<boolean>`state = ${sql.lit(state)}`) // not bound, so that its index is used
      .orderBy('attempts', 'desc')
      .orderBy('created_at')
      .limit(limit)
      .execute();
  }

  async findFulfilment(orderId: string) {
    return this.#selectFulfilments().where('order_id', '=', orderId).executeTakeFirst();
  }

  async findPayments(orderId: string) {
    return this.#database.db
      .selectFrom('service_pay_payments')
      .select(['reference', 'state', 'review_reason as reviewReason'])
      .select(['created_at as createdAt', 'moved_at as movedAt'])
      .where('order_id', '=', orderId)
      .orderBy('created_at')
      .execute();
  }

  async findDeliveries(limit: number, of?: { references: string[]; since: number }) {
    const deliveries = this.#selectDeliveries().orderBy('received_at', 'desc').limit(limit);
    if (!of) return deliveries.execute();
    return deliveries
      .where('received_at', '>=', of.since)
      .where('reference', 'in', of.references)
      .execute();
  }

  async findDeliveriesById(idPrefix: string) {
    return this.#selectDeliveries()
      .where('id', '>=', idPrefix)
      .where('id', '<', `${idPrefix}g`)
      .limit(2)
      .execute();
  }

  async removeDelivery(id: string): Promise<boolean> {
    return this.#database.write(async (trx) => {
      const removed = await trx
        .deleteFrom('service_pay_webhook_deliveries')
        .where('id', '=', id)
        .returning('id')
        .executeTakeFirst();
      return removed !== undefined;
    });
  }

  #selectFulfilments() {
    return this.#database.db
      .selectFrom('service_pay_fulfilments')
      .select(['reference', 'order_id as orderId', 'state', 'attempts', 'due_at as dueAt'])
      .select(['created_at as createdAt', 'last_error as lastError', 'done_at as doneAt']);
  }

  #selectDeliveries() {
    return this.#database.db
      .selectFrom('service_pay_webhook_deliveries')
      .select(['id', 'event', 'reference', 'received_at as receivedAt', 'handled_at as handledAt']);
  }
}
