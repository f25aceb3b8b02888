import {
  type Kysely,
  type SelectQueryBuilder,
  sql,
  type Transaction,
  type UpdateObject,
} from 'kysely';
import { NoAnswerError } from '../database/no-answer-error.ts';
import type { Database } from '../database/open.ts';
import type { Tables } from '../database/schema.ts';

/** The time of the database itself, which instances with clocks of their own agree on (T111). */
export const POSTGRES_NOW = sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`;

/** Spelled out and not bound, so that the index of just these rows is used. */
export const IS_WAITING = sql<boolean>`state = 'waiting'`;

/**
 * Rows whose holder died with them that often: the call may be what kills it. They are claimed one
 * at a time, so that no other order shares their fate, and at growing intervals (T112).
 */
const SUSPECT_FROM_ATTEMPTS = 3;

/** What a fulfilment becomes that nobody holds any more. */
const FREE = { lease_owner: null, lease_until: 0 } as const;

/** A fulfilment that one worker holds until its lease ends. Later writes check `leaseVersion`. */
export interface ClaimedFulfilment {
  orderId: string;
  reference: string;
  attempts: number;
  leaseVersion: number;
}

/**
 * Every statement on fulfilments once they are written. A holder's later writes check owner and
 * version, so a late one is refused.
 */
export class FulfilmentStore {
  readonly #db: Kysely<Tables>;
  readonly #write: Database['write'];
  readonly #isPostgres: boolean;

  constructor(database: Database) {
    this.#db = database.db;
    this.#write = database.write;
    this.#isPostgres = database.kind === 'postgres';
  }

  /**
   * Takes fulfilments that have been due the longest and that nobody holds, counting the attempt
   * that begins: who takes again what it held itself has not died of it. Those of the orders `inHand`
   * are left, also where their lease ran out. Where this fails, some may have been taken, and are
   * free again when that lease ends.
   */
  async claim(
    owner: string,
    now: number,
    leaseMs: number,
    limit: number,
    inHand: readonly string[] = [],
  ): Promise<ClaimedFulfilment[]> {
    return this.#claimOnce((trx) =>
      this.#take(
        trx,
        this.#selectFree(trx, now, inHand)
          .where((eb) =>
            eb.or([eb('attempts', '<', SUSPECT_FROM_ATTEMPTS), eb('lease_owner', 'is', null)]),
          )
          .orderBy('due_at')
          .limit(limit),
        { owner, now, leaseMs },
      ).execute(),
    );
  }

  /**
   * Takes the one whose holders died with it least often, of those where they did so again and
   * again. It is put off by that.
   */
  async claimSuspect(
    owner: string,
    now: number,
    leaseMs: number,
    inHand: readonly string[] = [],
  ): Promise<ClaimedFulfilment | undefined> {
    const [claimed] = await this.#claimOnce((trx) =>
      this.#take(
        trx,
        this.#selectFree(trx, now, inHand)
          .where('attempts', '>=', SUSPECT_FROM_ATTEMPTS)
          .where('lease_owner', 'is not', null)
          .orderBy('attempts')
          .orderBy('due_at')
          .limit(1),
        { owner, now, leaseMs },
      )
        .set({ due_at: sql<number>`cast(${now} as bigint) + 1000 * (1 << attempts)` })
        .execute(),
    );
    return claimed;
  }

  /** Holds on for `leaseMs` more. False where somebody else has taken over. */
  async renew(
    held: ClaimedFulfilment,
    owner: string,
    now: number,
    leaseMs: number,
  ): Promise<boolean> {
    const values = { lease_until: this.#leaseEnd(now, leaseMs) };
    return this.#write((trx) => updateHeld(trx, held, owner, values));
  }

  /** `again` where a try before this one was not answered, and may have been made. */
  async finish(
    held: ClaimedFulfilment,
    owner: string,
    now: number,
    again = false,
  ): Promise<boolean> {
    return this.#letGo(held, owner, { state: 'done', done_at: now }, again);
  }

  /**
   * Gives it back to be tried again at `dueAt`, which is the same for every try to write that.
   * Without a `lastError`, the one before stays. `again` as for `finish`.
   */
  async postpone(
    held: ClaimedFulfilment,
    owner: string,
    dueAt: number,
    lastError?: string,
    again = false,
  ): Promise<boolean> {
    const postponed = { order_id: held.orderId, due_at: dueAt };
    if (again && (await isSo(this.#db, postponed))) return true;
    return this.#write(async (trx, mayBeDone) => {
      const mayBeWritten = mayBeDone || again;
      const isWritten = () => isSo(trx, postponed);
      // Read first: since it was given back its owner may have claimed it anew, and that attempt is
      // still to be made.
      if (mayBeWritten && (await isWritten())) return true;
      return (
        (await updateHeld(trx, held, owner, { due_at: dueAt, ...ifKnown(lastError), ...FREE })) ||
        (mayBeWritten && (await isWritten()))
      );
    });
  }

  /** Gives it up until a person redrives it. `lastError` and `again` as for `postpone`. */
  async park(
    held: ClaimedFulfilment,
    owner: string,
    lastError?: string,
    again = false,
  ): Promise<boolean> {
    return this.#letGo(held, owner, { state: 'parked', ...ifKnown(lastError) }, again);
  }

  /** A person's order to try again from the start. False where it is not parked. */
  async redrive(reference: string, now: number): Promise<boolean> {
    return this.#write(async (trx, mayBeDone) => {
      const redriven = await trx
        .updateTable('service_pay_fulfilments')
        .set({ state: 'waiting', attempts: 0, due_at: now })
        .where('reference', '=', reference)
        .where('state', '=', 'parked')
        .returning('reference')
        .executeTakeFirst();
      // It is due from that very millisecond on, also once a worker has claimed or finished it.
      return redriven !== undefined || (mayBeDone && (await isSo(trx, { reference, due_at: now })));
    });
  }

  /**
   * Made again after a commit whose answer was lost, it would take others besides, and nobody would
   * hear of the first.
   */
  async #claimOnce(
    claim: (trx: Transaction<Tables>) => Promise<ClaimedFulfilment[]>,
  ): Promise<ClaimedFulfilment[]> {
    const claimed = await this.#write(async (trx, mayBeDone) =>
      mayBeDone ? undefined : claim(trx),
    );
    if (!claimed) throw new NoAnswerError('The database did not say what was claimed.');
    return claimed;
  }

  /**
   * Only its holder lets a fulfilment go, and each new holder has a lease of its own: one that is
   * free under this lease was let go under it (T113).
   */
  async #letGo(
    held: ClaimedFulfilment,
    owner: string,
    values: UpdateObject<Tables, 'service_pay_fulfilments'>,
    again: boolean,
  ): Promise<boolean> {
    const free = { order_id: held.orderId, lease_version: held.leaseVersion, lease_until: 0 };
    if (again && (await isSo(this.#db, free))) return true;
    return this.#write(
      async (trx, mayBeDone) =>
        (await updateHeld(trx, held, owner, { ...values, ...FREE })) ||
        ((mayBeDone || again) && (await isSo(trx, free))),
    );
  }

  /** What is due and nobody holds. */
  #selectFree(trx: Transaction<Tables>, now: number, inHand: readonly string[]) {
    return trx
      .selectFrom('service_pay_fulfilments')
      .select('order_id')
      .where(IS_WAITING)
      .where('due_at', '<=', now)
      .where('lease_until', '<=', this.#leaseTime(now))
      .$if(inHand.length > 0, (query) => query.where('order_id', 'not in', inHand))
      .$if(this.#isPostgres, (query) => query.forUpdate().skipLocked());
  }

  /** Takes what was chosen, unless somebody else was quicker. */
  #take(
    trx: Transaction<Tables>,
    chosen: SelectQueryBuilder<Tables, 'service_pay_fulfilments', { order_id: string }>,
    { owner, now, leaseMs }: { owner: string; now: number; leaseMs: number },
  ) {
    return (
      trx
        .updateTable('service_pay_fulfilments')
        .set((eb) => ({
          lease_owner: owner,
          lease_version: eb('lease_version', '+', 1),
          lease_until: this.#leaseEnd(now, leaseMs),
          attempts: sql<number>`attempts + case when lease_owner = ${owner} then 0 else 1 end`,
        }))
        // As an array the rows are chosen once: PostgreSQL might else choose others for each row it
        // looks at.
        .where(
          this.#isPostgres
            ? sql<boolean>`order_id = any(array(${chosen}))`
            : sql<boolean>`order_id in (${chosen})`,
        )
        .where('lease_until', '<=', this.#leaseTime(now))
        .returning([
          'order_id as orderId',
          'reference',
          'attempts',
          'lease_version as leaseVersion',
        ])
    );
  }

  /**
   * Leases are counted by the time of the database: the clocks of instances may differ (T111). A
   * file has one machine's clock.
   */
  #leaseTime(now: number) {
    return this.#isPostgres ? POSTGRES_NOW : sql<number>`${now}`;
  }

  #leaseEnd(now: number, leaseMs: number) {
    return sql<number>`${this.#leaseTime(now)} + ${leaseMs}`;
  }
}

function ifKnown(lastError: string | undefined): { last_error?: string } {
  return lastError === undefined ? {} : { last_error: lastError };
}

/**
 * A look of its own where a write is tried again: while commits are slow, what reads is answered.
 */
async function isSo(
  trx: Kysely<Tables>,
  values: Partial<Tables['service_pay_fulfilments']>,
): Promise<boolean> {
  const found = await trx
    .selectFrom('service_pay_fulfilments')
    .select('order_id')
    .where((eb) => eb.and(values))
    .executeTakeFirst();
  return found !== undefined;
}

/**
 * A write that only the holder of the lease can make: false where somebody else has taken over.
 */
async function updateHeld(
  trx: Transaction<Tables>,
  { orderId, leaseVersion }: ClaimedFulfilment,
  owner: string,
  values: UpdateObject<Tables, 'service_pay_fulfilments'>,
): Promise<boolean> {
  const updated = await trx
    .updateTable('service_pay_fulfilments')
    .set(values)
    .where('order_id', '=', orderId)
    .where('lease_owner', '=', owner)
    .where('lease_version', '=', leaseVersion)
    .where('state', '=', 'waiting')
    .returning('order_id')
    .executeTakeFirst();
  return updated !== undefined;
}
