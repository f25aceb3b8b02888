import { type Kysely, sql, type Transaction } from 'kysely';

import { PAYMENT_STATES, type Tables } from './schema.ts';

export const ASKED_ABOUT_STATES = PAYMENT_STATES.filter(
  (state) => state !== 'paid' && state !== 'refused',
);

/** Not bound, so that the index of just these payments is used. */
export const IS_ASKED_ABOUT = sql<boolean>`state not in ('paid', 'refused')`;

/**
 * Makes a payment with news due at `checkAt` at the latest, and starts its pauses again. Moves an
 * earlier time by 1 ms, so that whoever claimed the payment until then plans no later one.
 */
export async function askBy(
  trx: Transaction<Tables>,
  { reference, checkAt, pauseMs }: { reference: string; checkAt: number; pauseMs: number },
): Promise<void> {
  await trx
    .updateTable('service_pay_payments')
    .set((eb) => ({
      check_at: eb
        .case()
        .when('check_at', '>', checkAt)
        .then(checkAt)
        .else(eb('check_at', '-', 1))
        .end(),
      check_pause_ms: pauseMs,
    }))
    .where('reference', '=', reference)
    .where(IS_ASKED_ABOUT)
    .where((eb) => eb.or([eb('check_at', '>', checkAt), eb('check_pause_ms', '>', pauseMs)]))
    .execute();
}

export function selectDue(db: Kysely<Tables>, now: number, limit: number) {
  return db
    .selectFrom('service_pay_payments')
    .select(['reference', 'created_at', 'check_at', 'check_pause_ms'])
    .where(IS_ASKED_ABOUT)
    .where('check_at', '<=', now)
    .orderBy('check_at')
    .limit(limit);
}
