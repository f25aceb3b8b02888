import { sql } from 'kysely';

import { cast, compileForMany, compileOnce, type Given } from './compile-once.ts';
import type { Database } from './database.ts';
import { PAYMENT_STATES } from './tables.ts';

/** What the service says may still change these. */
export const ASKED_ABOUT_STATES = PAYMENT_STATES.filter(
  (state) => state !== 'paid' && state !== 'refused',
);

/** Spelled out and not bound, so that the index of just these payments is used. */
export const IS_ASKED_ABOUT = sql<boolean>`state not in ('paid', 'refused')`;

/** A claim of one payment, as it was read and as it is to be written. */
interface Claim {
  reference: string;
  readCheckAt: number;
  checkAt: number;
  pauseMs: number;
}

/**
 * The statements that decide when the service is asked about a payment, compiled once for one
 * database.
 */
export function buildAskingStatements(kind: Database['kind']) {
  return {
    /**
     * News starts the pauses anew. A time that is near stays nearly so: whoever has claimed the
     * payment until then shall not plan a later one.
     */
    askBy: compileForMany(
      (
        db,
        rows: readonly Given<{ reference: string }>[],
        given: Given<{ checkAt: number; pauseMs: number }>,
      ) =>
        db
          .updateTable('payments')
          .set((eb) => ({
            check_at: eb
              .case()
              .when('check_at', '>', given('checkAt'))
              .then(given('checkAt'))
              .else(eb('check_at', '-', 1))
              .end(),
            check_pause_ms: given('pauseMs'),
          }))
          .where(
            'reference',
            'in',
            rows.map((row) => row('reference')),
          )
          .where(IS_ASKED_ABOUT)
          .where((eb) =>
            eb.or([
              eb('check_at', '>', given('checkAt')),
              eb('check_pause_ms', '>', given('pauseMs')),
            ]),
          ),
    ),

    /** On PostgreSQL, rows that another instance claims at this moment are left to it. */
    findDue: compileOnce((db, given: Given<{ now: number; limit: number }>) => {
      const due = db
        .selectFrom('payments')
        .select(['reference', 'created_at', 'check_at', 'check_pause_ms'])
        .where(IS_ASKED_ABOUT)
        .where('check_at', '<=', given('now'))
        .orderBy('check_at')
        .limit(given('limit'));
      return kind === 'postgres' ? due.forUpdate().skipLocked() : due;
    }),

    /**
     * Gives the payments that nobody else has claimed since they were read. They are named besides,
     * or SQLite reads every payment there is to claim many.
     */
    claim: compileForMany((db, rows: readonly Given<Claim>[]) => {
      const values = rows.map(
        (row) =>
          sql`(${cast(row('reference'), 'text')}, ${cast(row('readCheckAt'), 'bigint')}, ${cast(row('checkAt'), 'bigint')}, ${cast(row('pauseMs'), 'bigint')})`,
      );
      return db
        .updateTable('payments')
        .from(
          sql<{
            column1: string;
            column2: number;
            column3: number;
            column4: number;
          }>`(values ${sql.join(values)})`.as('claimed'),
        )
        .set((eb) => ({
          check_at: eb.ref('claimed.column3'),
          check_pause_ms: eb.ref('claimed.column4'),
        }))
        .where(
          'payments.reference',
          'in',
          rows.map((row) => row('reference')),
        )
        .whereRef('payments.reference', '=', 'claimed.column1')
        .whereRef('payments.check_at', '=', 'claimed.column2')
        .returning('payments.reference as reference');
    }),

    /**
     * Gives the payments that nobody asked about a moment ago. A time far to come is that of a
     * clock that was set back. Everybody takes rows in one order, as deliveries.
     */
    claimAsks: compileForMany(
      (
        db,
        rows: readonly Given<{ reference: string }>[],
        given: Given<{ now: number; before: number; after: number }>,
      ) => {
        const values = sql.join(
          rows.map((row) => sql`(${cast(row('reference'), 'text')} collate "C")`),
        );
        return db
          .insertInto('asks')
          .columns(['reference', 'asked_at'])
          .expression((eb) =>
            eb
              .selectFrom(sql<{ column1: string }>`(values ${values})`.as('asked'))
              .select(['asked.column1 as reference', cast(given('now'), 'bigint').as('asked_at')])
              .distinct()
              .orderBy('asked.column1'),
          )
          .onConflict((conflict) =>
            conflict
              .column('reference')
              .doUpdateSet((eb) => ({ asked_at: eb.ref('excluded.asked_at') }))
              .where((eb) =>
                eb.or([
                  eb('asks.asked_at', '<=', given('before')),
                  eb('asks.asked_at', '>', given('after')),
                ]),
              ),
          )
          .returning('reference');
      },
    ),

    forgetAsks: compileOnce((db, given: Given<{ before: number }>) =>
      db.deleteFrom('asks').where('asked_at', '<', given('before')),
    ),
  };
}
