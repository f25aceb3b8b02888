import type { Database } from '@service-pay/server/internal/database/open';
import {
  type ClaimedFulfilment,
  type LetGo,
  FulfilmentStore as Sound,
} from '@service-pay/server/internal/fulfilment/store';

export const insteadOf = '@service-pay/server/internal/fulfilment/store';
export * from '@service-pay/server/internal/fulfilment/store';

/** Writes down a result without asking who holds the order now. */
export class FulfilmentStore extends Sound {
  readonly #database: Database;

  constructor(database: Database) {
    super(database);
    this.#database = database;
  }

  override async letGo(held: ClaimedFulfilment, _owner: string, values: LetGo): Promise<boolean> {
    await this.#database.write((trx) =>
      trx
        .updateTable('service_pay_fulfilments')
        .set({ ...values, lease_owner: null, lease_until: 0 })
        .where('order_id', '=', held.orderId)
        .execute(),
    );
    return true;
  }
}
