import { type Kysely, sql } from 'kysely';
import type { Database } from '../database/database.ts';
import { IS_POLLED, NEVER, type Tables } from '../database/schema.ts';

const NOT_SERIALIZABLE = '40001';

/** Old enough to be polled rarely. */
const UNKNOWN_AGE_MS = 60 * 60_000;

export interface DuePayment {
  reference: string;
  checkAt: number;
  ageMs: number;
  pauseMs: number;
}

interface Claim {
  now: number;
  limit: number;
  plan: (one: { ageMs: number; lastPauseMs: number }) => { claimMs: number; pauseMs: number };
}

/** The statements on when payments are polled, and by which instance. */
export class PollPlan {
  readonly #db: Kysely<Tables>;
  readonly #write: Database['write'];
  readonly #isPostgres: boolean;

  constructor(database: Database) {
    this.#db = database.db;
    this.#write = database.write;
    this.#isPostgres = database.kind === 'postgres';
  }

  /** Returns when the next payment is due to be polled. */
  async findNextDue(): Promise<number> {
    const { rows } = await sql<{ at: number | null }>`
      select min(check_at) as at from service_pay_payments where ${IS_POLLED}`.execute(this.#db);
    return rows[0]!.at ?? NEVER;
  }

  /**
   * Claims payments that are due to be polled, oldest first. `plan` returns how long a claim lasts
   * and the pause to record. The age of a reopened payment counts from then.
   */
  async claimDue({ now, limit, plan }: Claim): Promise<DuePayment[]> {
    return this.#write(async (trx) => {
      // skips rows that another instance is claiming
      const lock = this.#isPostgres ? sql`for update skip locked` : sql``;
      const { rows: due } = await sql<
        Pick<Tables['service_pay_payments'], 'reference' | 'check_pause_ms'> & { opened_at: number }
      >`
        select reference, check_pause_ms,
          case state when 'awaiting-payment' then moved_at else created_at end as opened_at
        from service_pay_payments
        where ${IS_POLLED} and check_at <= ${now}
        order by check_at limit ${limit} ${lock}`.execute(trx);
      const claimed = due.map(({ reference, opened_at, check_pause_ms: lastPauseMs }) => {
        // one of the future was opened before the clock was set back: nobody knows when
        const ageMs = opened_at > now + UNKNOWN_AGE_MS ? UNKNOWN_AGE_MS : now - opened_at;
        const { claimMs, pauseMs } = plan({ ageMs, lastPauseMs });
        return { reference, ageMs, checkAt: now + claimMs, pauseMs };
      });
      for (const { reference, checkAt, pauseMs } of claimed)
        await sql`update service_pay_payments set check_at = ${checkAt}, check_pause_ms = ${pauseMs}
          where reference = ${reference}`.execute(trx);
      return claimed;
    });
  }

  /** Sets when a claimed payment is due next, unless a webhook has set it since the claim. */
  async planPoll(
    reference: string,
    { claimedUntil, checkAt, pauseMs }: { claimedUntil: number; checkAt: number; pauseMs?: number },
  ): Promise<void> {
    await this.#write((trx) =>
      sql`update service_pay_payments
        set check_at = ${checkAt}, check_pause_ms = coalesce(${pauseMs ?? null}, check_pause_ms)
        where reference = ${reference} and check_at = ${claimedUntil}`.execute(trx),
    );
  }

  /**
   * Returns whether a payment may be verified now: once in `everyMs` over all instances (D59). With
   * SQLite, the only process enforces this itself.
   */
  async claimTurn(
    reference: string,
    { everyMs, now }: { everyMs: number; now: number },
  ): Promise<boolean> {
    if (!this.#isPostgres) return true;
    const claim = sql`
      insert into service_pay_asks as asks (reference, asked_at) values (${reference}, ${now})
      on conflict (reference) do update set asked_at = excluded.asked_at
      where asks.asked_at not between ${now - everyMs + 1} and ${now + everyMs}
      returning reference`.execute(this.#db);
    return claim.then(
      ({ rows }) => rows.length > 0,
      (error: unknown) => {
        // another instance has just claimed it, in a database that isolates statements more strictly
        if ((error as { code?: string }).code === NOT_SERIALIZABLE) return false;
        throw error;
      },
    );
  }
}
