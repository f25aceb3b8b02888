import { type Kysely, sql } from 'kysely';
import type { Database } from '../database/open.ts';
import type { PaymentState, Tables } from '../database/schema.ts';
import { IS_WAITING, POSTGRES_NOW } from '../fulfilment/store.ts';
import { ASKED_ABOUT_STATES, IS_ASKED_ABOUT } from '../payments/asking-queries.ts';
import { NEVER } from '../payments/store.ts';

/**
 * Rows that one statement changes: so few that other writes hardly wait for it, however many there
 * are.
 */
const ROWS_AT_ONCE = 500;

/**
 * What is due so many times later than the shop plans is no plan: pauses are spread, and clocks
 * agree to some milliseconds.
 */
const TOO_FAR = 2;

/** How far ahead the shop plans at most. */
export interface LongestPlans {
  /** Until any payment is asked about. */
  checkMs: number;
  /** Until one is whose pause is no longer than that. */
  shortCheckMs: number;
  /** From when a payment was made until it may be asked about no more. */
  givesUpMs: number;
  /** Until a fulfilment is first tried again. Each further pause may be twice the last. */
  retryMs: number;
  leaseMs: number;
}

/**
 * Statements on what time leaves behind. Each goes over its rows a part at a time, to the last or
 * until the signal aborts.
 */
export class HousekeepingStore {
  readonly #db: Kysely<Tables>;
  readonly #kind: Database['kind'];
  readonly #write: Database['write'];

  constructor(database: Database) {
    this.#db = database.db;
    this.#kind = database.kind;
    this.#write = database.write;
  }

  /** Forgets the keys of orders that nobody sends again (T67). */
  async forgetKeys(before: number, signal?: AbortSignal): Promise<void> {
    const old = (db: Kysely<Tables>, limit: number) =>
      db
        .selectFrom('idempotency_keys')
        .select(['browser_id', 'key'])
        .where('created_at', '<', before)
        .orderBy('created_at')
        .limit(limit);
    await this.#writeWhile(old, signal, (trx) =>
      trx
        .deleteFrom('idempotency_keys')
        .where(({ eb, refTuple }) =>
          eb(
            refTuple('browser_id', 'key'),
            'in',
            old(trx, ROWS_AT_ONCE).$asTuple('browser_id', 'key'),
          ),
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
        .selectFrom('webhook_deliveries')
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
          .updateTable('webhook_deliveries')
          .set({ handled_at: now })
          .where('handled_at', 'is', null)
          .where('reference', '>', after)
          .where('reference', '<=', last)
          .where('received_at', '<', before)
          .where(({ not, exists, selectFrom }) =>
            not(
              exists(
                selectFrom('payments')
                  .select('payments.reference')
                  .whereRef('payments.reference', '=', 'webhook_deliveries.reference')
                  .where(IS_ASKED_ABOUT),
              ),
            ),
          )
          .execute(),
      );
      after = last;
    }
  }

  /**
   * Makes due at once what is due later than the shop ever plans: a clock that was ahead has been
   * set right since. A lease that reaches too far becomes a fresh one, which a holder who lives
   * renews in time.
   */
  async pullAhead(now: number, longest: LongestPlans, signal?: AbortSignal): Promise<void> {
    const checks = (db: Kysely<Tables>, limit: number) =>
      db
        .selectFrom('payments')
        .select('reference')
        .where(IS_ASKED_ABOUT)
        .where('check_at', '>', now + TOO_FAR * longest.checkMs)
        .where('check_at', '<', NEVER)
        .limit(limit);
    await this.#writeWhile(checks, signal, (trx) =>
      trx
        .updateTable('payments')
        .set({ check_at: now })
        .where('reference', 'in', checks(trx, ROWS_AT_ONCE))
        .execute(),
    );

    const at = sql<number>`cast(${now} as bigint)`;
    const leaseAt = this.#kind === 'postgres' ? POSTGRES_NOW : at;
    const isDueTooLate = sql<boolean>`due_at > ${at} + ${sql.lit(TOO_FAR * longest.retryMs)} * (1 << attempts)`;
    const isHeldTooLong = sql<boolean>`lease_until > ${leaseAt} + ${sql.lit(TOO_FAR * longest.leaseMs)}`;
    const fulfilments = (db: Kysely<Tables>, limit: number) =>
      db
        .selectFrom('fulfilments')
        .select('order_id')
        .where(IS_WAITING)
        .where((eb) => eb.or([isDueTooLate, isHeldTooLong]))
        .limit(limit);
    await this.#writeWhile(fulfilments, signal, (trx) =>
      trx
        .updateTable('fulfilments')
        .set({
          due_at: sql`case when ${isDueTooLate} then ${at} else due_at end`,
          lease_until: sql`case when ${isHeldTooLong} then ${leaseAt} + ${sql.lit(longest.leaseMs)} else lease_until end`,
        })
        .where('order_id', 'in', fulfilments(trx, ROWS_AT_ONCE))
        .execute(),
    );

    for (const state of ASKED_ABOUT_STATES) await this.#pullYoungAhead(state, now, longest, signal);
  }

  /**
   * Those the shop has not given up by right: what is due later than twice their own pause, or
   * never.
   */
  async #pullYoungAhead(
    state: PaymentState,
    now: number,
    { shortCheckMs, givesUpMs }: LongestPlans,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const at = sql<number>`cast(${now} as bigint)`;
    const shortest = sql.lit(shortCheckMs);
    const isDueTooLate = sql<boolean>`
      check_at > ${at} + ${sql.lit(TOO_FAR)} * case when check_pause_ms > ${shortest} then check_pause_ms else ${shortest} end`;

    for (let after = { created_at: now - givesUpMs + 1, reference: '' }; !signal?.aborted; ) {
      const part = await this.#db
        .selectFrom('payments')
        .select(['created_at', 'reference', isDueTooLate.as('isDueTooLate')])
        .where('state', '=', state)
        .where(isBehind(after, '>'))
        .orderBy('created_at')
        .orderBy('reference')
        .limit(ROWS_AT_ONCE)
        .execute();
      const last = part.at(-1);
      if (!last) return;
      if (part.some((row) => row.isDueTooLate)) {
        const from = after;
        await this.#write((trx) =>
          trx
            .updateTable('payments')
            .set({ check_at: now })
            .where('state', '=', state)
            .where(isBehind(from, '>'))
            .where(isBehind(last, '<='))
            .where(isDueTooLate)
            .execute(),
        );
      }
      after = last;
      await new Promise(setImmediate); // a file answers at once, and requests wait meanwhile
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

/** Where a payment stands among all of its state, by their age. */
function isBehind(place: { created_at: number; reference: string }, operator: '>' | '<=') {
  return sql<boolean>`(created_at, reference) ${sql.raw(operator)} (cast(${place.created_at} as bigint), ${place.reference})`;
}
