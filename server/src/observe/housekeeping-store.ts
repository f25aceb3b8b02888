import type { Kysely } from 'kysely';
import type { Database } from '../database/open.ts';
import type { Tables } from '../database/schema.ts';
import { IS_ASKED_ABOUT } from '../payments/asking-queries.ts';

/**
 * Rows that one statement changes: so few that other writes hardly wait for it, however many there
 * are.
 */
const ROWS_AT_ONCE = 500;

/** Statements on what time leaves behind, a part at a time, to the last or until the signal aborts. */
export class HousekeepingStore {
  readonly #write: Database['write'];

  constructor({ write }: Database) {
    this.#write = write;
  }

  /** Forgets the keys of orders that nobody sends again (T67). */
  async forgetKeys(before: number, signal?: AbortSignal): Promise<void> {
    await this.#repeat(signal, async (trx) => {
      const { numDeletedRows } = await trx
        .deleteFrom('service_pay_idempotency_keys')
        .where(({ eb, refTuple, selectFrom }) =>
          eb(
            refTuple('owner', 'key'),
            'in',
            selectFrom('service_pay_idempotency_keys')
              .select(['owner', 'key'])
              .where('created_at', '<', before)
              .limit(ROWS_AT_ONCE)
              .$asTuple('owner', 'key'),
          ),
        )
        .executeTakeFirst();
      return numDeletedRows;
    });
  }

  /**
   * Marks deliveries from before a time that wait for nothing: there is no payment of theirs, or it
   * was decided as they arrived.
   */
  async closeStrayDeliveries(before: number, now: number, signal?: AbortSignal): Promise<void> {
    await this.#repeat(signal, async (trx) => {
      const stray = trx
        .selectFrom('service_pay_webhook_deliveries as delivery')
        .select('delivery.id')
        .where('handled_at', 'is', null)
        .where('received_at', '<', before)
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom('service_pay_payments')
                .select('service_pay_payments.reference')
                .whereRef('service_pay_payments.reference', '=', 'delivery.reference')
                .where(IS_ASKED_ABOUT),
            ),
          ),
        )
        .limit(ROWS_AT_ONCE);
      const { numUpdatedRows } = await trx
        .updateTable('service_pay_webhook_deliveries')
        .set({ handled_at: now })
        .where('id', 'in', stray)
        .executeTakeFirst();
      return numUpdatedRows;
    });
  }

  async #repeat(
    signal: AbortSignal | undefined,
    changeSome: (trx: Kysely<Tables>) => Promise<bigint>,
  ): Promise<void> {
    while (!signal?.aborted && (await this.#write(changeSome)) > 0n);
  }
}
