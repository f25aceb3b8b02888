import type { Database } from '@service-pay/server/internal/database/open';
import { ShopStore as Sound, type Writer } from '@service-pay/server/internal/payments/store';

export const insteadOf = '@service-pay/server/internal/payments/store';
export * from '@service-pay/server/internal/payments/store';

/** Reads whether an order is paid, then writes what follows from that. */
export class ShopStore extends Sound {
  readonly #database: Database;

  constructor(database: Database) {
    super(database);
    this.#database = database;
  }

  override async markPaid(reference: string, now: number): Promise<'paid' | 'needs-review'> {
    const { db, write } = this.#database;
    const { orderId } = (await this.findPayment(reference))!;
    const paid = await db
      .selectFrom('service_pay_fulfilments')
      .select('reference')
      .where('order_id', '=', orderId)
      .executeTakeFirst();
    const state = paid ? 'needs-review' : 'paid';
    await write((trx) =>
      trx
        .updateTable('service_pay_payments')
        .set({ state, moved_at: now, ...(paid && { review_reason: 'order already paid' }) })
        .where('reference', '=', reference)
        .execute(),
    );
    if (!paid) await write((trx) => fulfil(trx, orderId, reference, now));
    return state;
  }
}

async function fulfil(trx: Writer, orderId: string, reference: string, now: number): Promise<void> {
  await trx
    .insertInto('service_pay_fulfilments')
    .values({
      order_id: orderId,
      reference,
      state: 'waiting',
      attempts: 0,
      due_at: now,
      lease_owner: null,
      lease_version: 0,
      lease_until: 0,
      created_at: now,
    })
    .onConflict((conflict) =>
      conflict.column('order_id').doUpdateSet({ reference, state: 'waiting' }),
    )
    .execute();
}
