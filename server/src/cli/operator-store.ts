import type { Kysely } from 'kysely';
import type { Database } from '../database/open.ts';
import type { Tables } from '../database/schema.ts';

/** A paid order that nobody could be handed, or that is about to be. */
export interface StoredFulfilment {
  reference: string;
  orderId: string;
  state: Tables['service_pay_fulfilments']['state'];
  attempts: number;
  dueAt: number;
  createdAt: number;
}

/** A webhook in the inbox, without its body. */
export type StoredDelivery = Pick<
  Tables['service_pay_webhook_deliveries'],
  'id' | 'event' | 'reference' | 'received_at' | 'handled_at'
>;

/** What a person who runs the shop asks of its records, and the shop itself never does. */
export class OperatorStore {
  readonly #db: Kysely<Tables>;
  readonly #write: Database['write'];

  constructor(database: Database) {
    this.#db = database.db;
    this.#write = database.write;
  }

  /** Parked fulfilments, those that have waited longest first. */
  async findParked(limit: number): Promise<StoredFulfilment[]> {
    return this.#selectFulfilments()
      .where('state', '=', 'parked')
      .orderBy('created_at')
      .limit(limit)
      .execute();
  }

  async findFulfilment(reference: string): Promise<StoredFulfilment | undefined> {
    return this.#selectFulfilments().where('reference', '=', reference).executeTakeFirst();
  }

  /** Which payment an order was paid with. */
  async findPaidReference(orderId: string): Promise<string | undefined> {
    const row = await this.#db
      .selectFrom('service_pay_fulfilments')
      .select('reference')
      .where('order_id', '=', orderId)
      .executeTakeFirst();
    return row?.reference;
  }

  /** Deliveries in the inbox, the newest first. */
  async findDeliveries(limit: number): Promise<StoredDelivery[]> {
    return this.#selectDeliveries().orderBy('received_at', 'desc').limit(limit).execute();
  }

  /** Deliveries whose id begins so. Two are enough to know that it is not unique. */
  async findDeliveriesFrom(idPrefix: string): Promise<StoredDelivery[]> {
    return this.#selectDeliveries()
      .where('id', '>=', idPrefix)
      .where('id', '<', `${idPrefix}g`)
      .limit(2)
      .execute();
  }

  /**
   * The newest payments begun since then that are paid: how many, when the first of them was begun,
   * and how many a webhook told of.
   */
  async countTold(
    since: number,
    atMost: number,
  ): Promise<{ paid: number; told: number; firstAt: number }> {
    const payments = await this.#db
      .selectFrom('service_pay_payments')
      .select(['reference', 'created_at'])
      .where('state', '=', 'paid')
      .where('created_at', '>=', since)
      .orderBy('created_at', 'desc')
      .limit(atMost)
      .execute();
    const references = payments.map(({ reference }) => reference);
    const firstAt = payments.at(-1)?.created_at ?? since;
    if (!references.length) return { paid: 0, told: 0, firstAt };
    const told = await this.#db
      .selectFrom('service_pay_webhook_deliveries')
      .select('reference')
      .distinct()
      .where('reference', 'in', references)
      .execute();
    return { paid: references.length, told: told.length, firstAt };
  }

  /** Takes a delivery out of the inbox. False where it is not there. */
  async removeDelivery(id: string): Promise<boolean> {
    return this.#write(async (trx, mayBeDone) => {
      const removed = await trx
        .deleteFrom('service_pay_webhook_deliveries')
        .where('id', '=', id)
        .returning('id')
        .executeTakeFirst();
      return removed !== undefined || mayBeDone;
    });
  }

  #selectFulfilments() {
    return this.#db
      .selectFrom('service_pay_fulfilments')
      .select([
        'reference',
        'order_id as orderId',
        'state',
        'attempts',
        'due_at as dueAt',
        'created_at as createdAt',
      ]);
  }

  #selectDeliveries() {
    return this.#db
      .selectFrom('service_pay_webhook_deliveries')
      .select(['id', 'event', 'reference', 'received_at', 'handled_at']);
  }
}
