import { type RawBuilder, sql } from 'kysely';
import type { Connection, Database } from '../database/database.ts';
import { NEVER, type Tables } from '../database/schema.ts';
import { type ByPerson, recordDecision } from '../payments/decisions.ts';

const POSTGRES_NOW = sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`;

/**
 * A row is claimed alone after this many attempts whose process died, because the call may be what
 * kills it (T112).
 */
const SUSPECT_FROM_ATTEMPTS = 3;

const ENDED = 'The shop stopped, froze or lost its database during the call.';

/** A fulfilment that this process holds, with its order, whose `data` is JSON. */
export interface ClaimedFulfilment
  extends Pick<Tables['service_pay_payments'], 'owner' | 'data' | 'amount' | 'currency'> {
  orderId: string;
  reference: string;
  attempts: number;
  leaseVersion: number;
  lastError: string | null;
}

export type Release = Partial<
  Pick<Tables['service_pay_fulfilments'], 'state' | 'due_at' | 'done_at' | 'last_error'>
>;

/** A worker's wish to hold orders from `now` on, apart from those it is running. */
interface Lease {
  readonly owner: string;
  readonly now: number;
  readonly leaseMs: number;
  readonly running?: readonly string[];
}

export class FulfilmentStore {
  readonly #leases: Connection;
  readonly #results: Connection;
  readonly #isPostgres: boolean;

  constructor(database: Database) {
    const { leases, results } = database.ahead ?? { leases: database, results: database };
    this.#leases = leases;
    this.#results = results;
    this.#isPostgres = database.kind === 'postgres';
  }

  /**
   * Returns when to look for a fulfilment to claim: when the next one is due, or when the first lease
   * ends if its holder has died. Leaves out the orders in `running`.
   */
  async findNextDue(now: number, running: readonly string[] = []): Promise<number> {
    const time = this.#leaseTime(now);
    const others = without(running);
    const { rows } = await sql<{ at: number }>`
      with free as (
        select due_at as at from service_pay_fulfilments
        where state = 'waiting' and lease_until <= ${time} ${others} order by due_at limit 1)
      select at from free
      union all
      select lease_until from service_pay_fulfilments
      where state = 'waiting' and due_at <= ${now} and lease_until > ${time} ${others}
        and not exists (select 1 from free where at <= ${now})
      order by at limit 1`.execute(this.#leases.db);
    return rows[0]?.at ?? NEVER;
  }

  /**
   * Claims fulfilments without a live holder, the longest due first, and counts the attempt that
   * begins unless the last holder claims them again. If a holder never released one, its process
   * has ended, which is recorded as the last error. Leaves the orders in `running`. If this fails,
   * the claims end with their lease.
   */
  async claim({ limit, ...lease }: Lease & { limit: number }): Promise<ClaimedFulfilment[]> {
    const which = sql`(attempts < ${SUSPECT_FROM_ATTEMPTS} or lease_owner is null)
      order by due_at limit ${limit}`;
    return this.#take(lease, which);
  }

  /** Claims the suspect with the fewest attempts, and doubles its delay with each. */
  async claimSuspect(lease: Lease): Promise<ClaimedFulfilment | undefined> {
    const which = sql`attempts >= ${SUSPECT_FROM_ATTEMPTS} and lease_owner is not null
      order by attempts, due_at limit 1`;
    const dueAt = sql`cast(${lease.now} as bigint) + 1000 * (1 << attempts)`;
    return (await this.#take(lease, which, dueAt))[0];
  }

  /**
   * Renews the leases that `owner` holds. Returns the ids of these orders: another worker has taken
   * over the rest. A row that somebody else has locked is left to the next time.
   */
  async renew(
    leases: readonly ClaimedFulfilment[],
    { owner, now, leaseMs }: Lease,
  ): Promise<Set<string>> {
    const pairs = leases.map(
      ({ orderId, leaseVersion }) =>
        sql`(cast(${orderId} as text), cast(${leaseVersion} as bigint))`,
    );
    const held = sql`select order_id as id from service_pay_fulfilments
      where lease_owner = ${owner} and (order_id, lease_version) in (values ${sql.join(pairs)})`;
    const { rows } = await this.#leases.write(async (trx) => {
      await sql`update service_pay_fulfilments set lease_until = ${this.#leaseTime(now)} + ${leaseMs}
        where order_id in (${held} ${this.#skipLocked})`.execute(trx);
      return sql<{ id: string }>`${held}`.execute(trx);
    });
    return new Set(rows.map(({ id }) => id));
  }

  /**
   * Releases a fulfilment, or returns false if another worker has taken it over (T111). May be called
   * again after an error: a row without an owner under this version was released by its holder.
   */
  async release(
    { orderId, leaseVersion }: ClaimedFulfilment,
    owner: string,
    values: Release,
  ): Promise<boolean> {
    const { numUpdatedRows } = await this.#results.write((trx) =>
      trx
        .updateTable('service_pay_fulfilments')
        .set({ ...values, lease_owner: null, lease_until: 0 })
        .where('order_id', '=', orderId)
        .where('lease_version', '=', leaseVersion)
        .where(sql<boolean>`(lease_owner = ${owner} or lease_owner is null)`)
        .executeTakeFirst(),
    );
    return numUpdatedRows === 1n;
  }

  /** Makes a fulfilment that failed and is not running due at once, with all attempts left. */
  async redrive({ reference, who, now }: ByPerson): Promise<boolean> {
    return this.#results.write(async (trx) => {
      // a new version, for a holder that does not know yet that it has released it
      const { numAffectedRows } = await sql`update service_pay_fulfilments
        set state = 'waiting', attempts = 0, due_at = ${now},
          lease_owner = null, lease_version = lease_version + 1
        where reference = ${reference} and lease_until <= ${this.#leaseTime(now)}
          and (state = 'parked' or (state = 'waiting' and attempts > 0))`.execute(trx);
      if (numAffectedRows !== 1n) return false;
      await recordDecision(trx, { reference, decision: 'redrive', who, decided_at: now });
      return true;
    });
  }

  /**
   * Ends a fulfilment that is not running, because the money was given back. Returns false if it is
   * running or at its end.
   */
  async close({ reference, who, reason, now }: ByPerson & { reason: string }): Promise<boolean> {
    return this.#results.write(async (trx) => {
      // a new version, as in `redrive`
      const { numAffectedRows } = await sql`update service_pay_fulfilments
        set state = 'closed', lease_owner = null, lease_version = lease_version + 1
        where reference = ${reference} and lease_until <= ${this.#leaseTime(now)}
          and state in ('waiting', 'parked')`.execute(trx);
      if (numAffectedRows !== 1n) return false;
      await recordDecision(trx, { reference, decision: 'close', who, reason, decided_at: now });
      return true;
    });
  }

  async #take(
    { owner, now, leaseMs, running = [] }: Lease,
    which: RawBuilder<unknown>,
    dueAt = sql`due_at`,
  ): Promise<ClaimedFulfilment[]> {
    const time = this.#leaseTime(now);
    const { rows } = await this.#leases.write((trx) =>
      // materialized, because otherwise PostgreSQL might choose again for each row
      sql<ClaimedFulfilment>`
        with chosen (id) as materialized (
          select order_id from service_pay_fulfilments
          where state = 'waiting' and due_at <= ${now} and lease_until <= ${time} ${without(running)}
            and ${which} ${this.#skipLocked})
        update service_pay_fulfilments set
          lease_owner = ${owner}, lease_version = lease_version + 1,
          lease_until = ${time} + ${leaseMs}, due_at = ${dueAt},
          attempts = attempts + case when lease_owner = ${owner} then 0 else 1 end,
          last_error = case when lease_owner <> ${owner} then ${ENDED} else last_error end
        from chosen where order_id = chosen.id
        returning order_id as "orderId", reference, attempts, lease_version as "leaseVersion",
          last_error as "lastError",
          ${sql.join(['owner', 'data', 'amount', 'currency'].map(ofPayment))}`.execute(trx),
    );
    return rows;
  }

  get #skipLocked() {
    return this.#isPostgres ? sql`for update skip locked` : sql``;
  }

  #leaseTime(now: number) {
    return this.#isPostgres ? POSTGRES_NOW : sql<number>`${now}`;
  }
}

function without(orderIds: readonly string[]): RawBuilder<unknown> {
  return orderIds.length ? sql`and order_id not in (${sql.join(orderIds)})` : sql``;
}

function ofPayment(column: string): RawBuilder<unknown> {
  return sql`(select ${sql.ref(column)} from service_pay_payments as payment
    where payment.reference = service_pay_fulfilments.reference) as ${sql.ref(column)}`;
}
