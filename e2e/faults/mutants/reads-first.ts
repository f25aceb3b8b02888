import type { Database } from '@service-pay/server/internal/database/open';
import { ShopStore as Sound } from '@service-pay/server/internal/payments/store';

export const insteadOf = '@service-pay/server/internal/payments/store';
export * from '@service-pay/server/internal/payments/store';

/** Reads whether an order is paid, then writes what follows from that. */
export class ShopStore extends Sound {
  readonly #db: Database['db'];

  constructor(database: Database) {
    super(database);
    this.#db = database.db;
  }

  override async markPaid(...given: Parameters<Sound['markPaid']>): ReturnType<Sound['markPaid']> {
    const [reference] = given;
    const { orderId } = (await this.findPayment(reference))!;
    const isPaid = (await this.findPaymentsOfOrder(orderId)).some(({ state }) => state === 'paid');
    const state = await super.markPaid(...given);
    if (isPaid || state !== 'needs-review') return state;
    await this.accept(...given);
    await this.#db
      .updateTable('service_pay_fulfilments')
      .set({ reference, state: 'waiting' })
      .where('order_id', '=', orderId)
      .execute();
    return 'paid';
  }
}
