import type { EventName } from '@service-pay/contract/webhook';
import { type Kysely, sql } from 'kysely';
import type { Database } from '../database/database.ts';
import type { Tables } from '../database/schema.ts';
import { failureFields } from '../observe/failure-log.ts';
import { repeat, type Stop } from '../support/clock.ts';
import { OWN_MARKS, takeKey } from './keys.ts';
import { REFERENCE_LENGTH, REFERENCE_PREFIX } from './reference.ts';
import type { SharedParts } from './shared-parts.ts';

const LOOK_EVERY_MS = 30_000;

/** By then even a slow transaction has committed. */
const PATIENCE_MS = 5 * 60_000;

const SUCCESS: EventName = 'collection.successful';

const AFTER_PREFIX = REFERENCE_PREFIX.replace('-', '.');

/** Begins the keys of our own that mark reported references. */
const REPORTED = 'unknown-reference ';

type AlertParts = Pick<SharedParts, 'metrics' | 'clock' | 'log'>;

/**
 * Raises one alert, over all instances, for each of our references that the service reported as
 * paid and that has no payment after five minutes, because its transaction was rolled back or its
 * row was lost. Checks every 30 s until the returned function is called (T143).
 */
export function startUnknownReferenceAlerts(database: Database, parts: AlertParts): Stop {
  return repeat(parts.clock, LOOK_EVERY_MS, async () => {
    await raiseAlerts(database, parts).catch((err: unknown) => {
      parts.log.warn(failureFields(err), 'unknown references not read, will retry');
    });
  });
}

/** That a delivery reports one of our references as paid, and that it has no payment. */
const IS_UNKNOWN = sql<boolean>`(event = ${SUCCESS}
  and reference >= ${REFERENCE_PREFIX} and reference < ${AFTER_PREFIX}
  and length(reference) = ${REFERENCE_LENGTH}
  and not exists (select 1 from service_pay_payments as payment
    where payment.reference = delivery.reference))`;

/** Unknown, and no alert was raised for it yet. */
export const IS_UNREPORTED = sql<boolean>`(${IS_UNKNOWN} and not exists (
  select 1 from service_pay_idempotency_keys
  where owner = ${OWN_MARKS} and key = ${REPORTED} || delivery.reference))`;

/**
 * Selects references paid at the service and unknown here. Housekeeping closes webhooks of the day
 * before.
 */
export function selectUnknownReferences(db: Kysely<Tables>, now: number) {
  return db
    .selectFrom('service_pay_webhook_deliveries as delivery')
    .select('reference')
    .distinct()
    .$narrowType<{ reference: string }>()
    .where('handled_at', 'is', null)
    .where('received_at', '<=', now - PATIENCE_MS)
    .where(IS_UNKNOWN);
}

/**
 * Raises the alerts that are not raised yet: see `startUnknownReferenceAlerts`. Begins no further one
 * once `signal` has aborted.
 */
export async function raiseAlerts(
  { db, write }: Database,
  parts: AlertParts,
  signal?: AbortSignal,
): Promise<void> {
  const { metrics, clock, log } = parts;
  const now = clock.now();
  const unreported = selectUnknownReferences(db, now).where(IS_UNREPORTED);
  for (const { reference } of await unreported.execute()) {
    if (signal?.aborted) return;
    await write(async (trx) => {
      const key = REPORTED + reference;
      const mark = { owner: OWN_MARKS, key, requestHash: '', reference, now };
      if (!(await takeKey(trx, mark))) return;
      // before the commit, because a repeated alert is better than a lost one
      metrics.countAlert('unknown_reference');
      log.error({ reference }, 'money received for an unknown reference');
    });
  }
}
