import type { Kysely } from 'kysely';
import { forgetAsks, IS_ASKED_ABOUT } from '../database/asking-queries.ts';
import type { Database } from '../database/open.ts';
import type { Tables } from '../database/schema.ts';
import { type Clock, repeat } from '../support/clock.ts';
import type { Log } from './log.ts';

const EVERY_MS = 10 * 60_000;
const KEPT_MS = 24 * 60 * 60_000;

const ROWS_AT_ONCE = 500;

/**
 * Forgets the idempotency keys of a day ago, and closes webhooks about payments that nobody made in
 * a day: they are of another system of the merchant's. Runs until the returned function is called.
 */
export function startHousekeeping(database: Database, clock: Clock, log: Log): () => void {
  return repeat(clock, EVERY_MS, async () => {
    const now = clock.now();
    try {
      await forgetKeys(database, now - KEPT_MS);
      await closeStrayDeliveries(database, now - KEPT_MS, now);
      if (database.kind === 'postgres') await forgetAsks(database.db, now - EVERY_MS);
    } catch (err) {
      log.warn({ err }, 'housekeeping failed, will retry');
    }
  });
}

export async function forgetKeys({ write }: Database, before: number): Promise<void> {
  await repeatWrite(write, async (trx) => {
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

export async function closeStrayDeliveries(
  { write }: Database,
  before: number,
  now: number,
): Promise<void> {
  await repeatWrite(write, async (trx) => {
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

async function repeatWrite(
  write: Database['write'],
  changeSome: (trx: Kysely<Tables>) => Promise<bigint>,
): Promise<void> {
  while ((await write(changeSome)) > 0n);
}
