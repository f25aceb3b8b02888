import { sql } from 'kysely';
import type { Database } from '../database/database.ts';
import { IS_POLLED } from '../database/schema.ts';
import type { Log } from '../observe/log.ts';
import { type Clock, repeat, type Stop } from '../support/clock.ts';
import { IS_UNREPORTED } from './unknown-references.ts';

const EVERY_MS = 10 * 60_000;
const DAY_MS = 24 * 60 * 60_000;

/**
 * As long as a payment is polled after it was opened, because until then its form may be open
 * somewhere.
 */
const KEYS_KEPT_MS = 30 * DAY_MS;

const ROWS_AT_ONCE = 500;

/** Runs `tidyUp` every ten minutes, until the returned function is called. */
export function startHousekeeping(database: Database, clock: Clock, log: Log): Stop {
  const ending = new AbortController();
  const stop = repeat(clock, EVERY_MS, async () => {
    await tidyUp(database, clock.now(), ending.signal).catch((err: unknown) => {
      log.warn({ err }, 'housekeeping failed, will retry');
    });
  });
  return () => {
    ending.abort();
    return stop();
  };
}

/**
 * Closes webhooks that had no payment for a day, because they are for another system of the
 * merchant, but none that reports money before its alert is raised. Deletes idempotency keys older
 * than 30 days afterwards, because a key also says that an alert was raised, but none of an order
 * that was opened again since. Begins no further batch once `signal` has aborted.
 */
export async function tidyUp(
  { kind, write }: Database,
  now: number,
  signal?: AbortSignal,
): Promise<void> {
  const oldKeys = sql`delete from service_pay_idempotency_keys where (owner, key) in (
    select owner, key from service_pay_idempotency_keys as used
    where created_at < ${now - KEYS_KEPT_MS} and not exists (
      select 1 from service_pay_payments
      where ${IS_POLLED} and moved_at >= ${now - KEYS_KEPT_MS} and order_id = (
        select order_id from service_pay_payments where reference = used.reference))
    limit ${ROWS_AT_ONCE})`;
  const strayDeliveries = sql`
    update service_pay_webhook_deliveries set handled_at = ${now} where id in (
      select id from service_pay_webhook_deliveries as delivery
      where handled_at is null and received_at < ${now - DAY_MS} and not ${IS_UNREPORTED}
        and not exists (select 1 from service_pay_payments as payment
          where payment.reference = delivery.reference and ${IS_POLLED})
      limit ${ROWS_AT_ONCE})`;
  const oldClaims = sql`delete from service_pay_asks where asked_at < ${now - EVERY_MS}`;
  const ofEach = [strayDeliveries, oldKeys, ...(kind === 'postgres' ? [oldClaims] : [])];
  for (const statement of ofEach)
    while (!signal?.aborted && (await write((trx) => statement.execute(trx))).numAffectedRows);
}
