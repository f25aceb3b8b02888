import type { Kysely } from 'kysely';
import type { Database } from '../database/open.ts';
import type { Tables } from '../database/schema.ts';
import { IS_ASKED_ABOUT } from '../payments/asking-queries.ts';

/**
 * Rows that one statement changes: so few that other writes hardly wait for it, however many there
 * are.
 */
const ROWS_AT_ONCE = 500;

/**
 * Statements on what time leaves behind. Each goes over its rows a part at a time, to the last or
 * until the signal aborts.
 */
export class HousekeepingStore {
  readonly #db: Kysely<Tables>;
  readonly #write: Database['write'];

  constructor(database: Database) {
    this.#db = database.db;
    this.#write = database.write;
  }

  /** Forgets the keys of orders that nobody sends again (T67). */
  async forgetKeys(before: number, signal?: AbortSignal): Promise<void> {
    const old = (db: Kysely<Tables>, limit: number) =>
      db
        .selectFrom('service_pay_idempotency_keys')
        .select(['owner', 'key'])
        .where('created_at', '<', before)
        .orderBy('created_at')
        .limit(limit);
    await this.#writeWhile(old, signal, (trx) =>
      trx
        .deleteFrom('service_pay_idempotency_keys')
        .where(({ eb, refTuple }) =>
          eb(refTuple('owner', 'key'), 'in', old(trx, ROWS_AT_ONCE).$asTuple('owner', 'key')),
        )
        .execute(),
    );
  }

  /**
   * Marks deliveries from before a time that wait for nothing: there is no payment of theirs, or it
   * was decided as they arrived.
   */
  async closeStrayDeliveries(before: number, now: number, signal?: AbortSignal): Promise<void> {
    for (let after = ''; !signal?.aborted; ) {
      const waiting = this.#db
        .selectFrom('service_pay_webhook_deliveries')
        .select('reference')
        .distinct()
        .where('handled_at', 'is', null)
        .where('reference', '>', after)
        .orderBy('reference')
        .limit(ROWS_AT_ONCE);
      const last = (await waiting.execute()).at(-1)?.reference;
      if (!last) return;
      await this.#write((trx) =>
        trx
          .updateTable('service_pay_webhook_deliveries')
          .set({ handled_at: now })
          .where('handled_at', 'is', null)
          .where('reference', '>', after)
          .where('reference', '<=', last)
          .where('received_at', '<', before)
          .where(({ not, exists, selectFrom }) =>
            not(
              exists(
                selectFrom('service_pay_payments')
                  .select('service_pay_payments.reference')
                  .whereRef(
                    'service_pay_payments.reference',
                    '=',
                    'service_pay_webhook_deliveries.reference',
                  )
                  .where(IS_ASKED_ABOUT),
              ),
            ),
          )
          .execute(),
      );
      after = last;
    }
  }

  /** Writes as long as there are such rows. Nothing is locked where there are none. */
  async #writeWhile(
    find: (db: Kysely<Tables>, limit: number) => { execute(): Promise<unknown[]> },
    signal: AbortSignal | undefined,
    write: (trx: Kysely<Tables>) => Promise<unknown>,
  ): Promise<void> {
    while (!signal?.aborted && (await find(this.#db, 1).execute()).length) await this.#write(write);
  }
}
