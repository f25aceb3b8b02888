import { type Kysely, sql } from 'kysely';

import type { ClaimedFulfilment } from './order.ts';
import type { Tables } from './tables.ts';
import { WriteBatch } from './write-batch.ts';

/** Spelled out and not bound, so that the index of just these rows is used. */
const IS_WAITING = sql<boolean>`state = 'waiting'`;

/** Every statement on fulfilments once they are written. A holder's later writes check owner and version, so a late one is refused. */
export class FulfilmentStore {
  readonly #db: Kysely<Tables>;
  readonly #writes: WriteBatch;

  constructor(db: Kysely<Tables>) {
    this.#db = db;
    this.#writes = new WriteBatch(db);
  }

  /** Takes fulfilments that have been due the longest and that nobody holds, counting the attempt that begins. */
  async claim(owner: string, now: number, leaseMs: number, limit: number): Promise<ClaimedFulfilment[]> {
    return this.#db
      .updateTable('fulfilments')
      .set((eb) => ({
        lease_owner: owner,
        lease_version: eb('lease_version', '+', 1),
        lease_until: now + leaseMs,
        attempts: eb('attempts', '+', 1),
      }))
      .where('order_id', 'in', (eb) =>
        eb
          .selectFrom('fulfilments')
          .select('order_id')
          .where(IS_WAITING)
          .where('due_at', '<=', now)
          .where('lease_until', '<=', now)
          .orderBy('due_at')
          .limit(limit),
      )
      .where('lease_until', '<=', now)
      .returning(['order_id as orderId', 'reference', 'attempts', 'lease_version as leaseVersion'])
      .execute();
  }

  /** Holds on. False where somebody else has taken over. */
  async renew(held: ClaimedFulfilment, owner: string, until: number): Promise<boolean> {
    return this.#write(held, owner, { lease_until: until });
  }

  async finish(held: ClaimedFulfilment, owner: string): Promise<boolean> {
    return this.#write(held, owner, { state: 'done', lease_owner: null, lease_until: 0 });
  }

  /** Gives it back to be tried again at `dueAt`. */
  async postpone(held: ClaimedFulfilment, owner: string, dueAt: number): Promise<boolean> {
    return this.#write(held, owner, { due_at: dueAt, lease_owner: null, lease_until: 0 });
  }

  /** Gives it up until a person redrives it. */
  async park(held: ClaimedFulfilment, owner: string): Promise<boolean> {
    return this.#write(held, owner, { state: 'parked', lease_owner: null, lease_until: 0 });
  }

  /** A person's order to try again from the start. False where it is not parked. */
  async redrive(reference: string, now: number): Promise<boolean> {
    const row = await this.#db
      .updateTable('fulfilments')
      .set({ state: 'waiting', attempts: 0, due_at: now })
      .where('reference', '=', reference)
      .where('state', '=', 'parked')
      .returning('reference')
      .executeTakeFirst();
    return row !== undefined;
  }

  async #write(held: ClaimedFulfilment, owner: string, values: Partial<Tables['fulfilments']>): Promise<boolean> {
    const row = await this.#writes.run((trx) =>
      trx
        .updateTable('fulfilments')
        .set(values)
        .where('order_id', '=', held.orderId)
        .where('lease_owner', '=', owner)
        .where('lease_version', '=', held.leaseVersion)
        .where('state', '=', 'waiting')
        .returning('order_id')
        .executeTakeFirst(),
    );
    return row !== undefined;
  }
}
