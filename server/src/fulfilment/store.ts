import { type SelectQueryBuilder, sql, type Transaction, type UpdateObject } from 'kysely';
import { NoAnswerError } from '../database/no-answer-error.ts';
import type { Database } from '../database/open.ts';
import type { Tables } from '../database/schema.ts';

const POSTGRES_NOW = sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`;

/** Not bound, so that the index of just these rows is used. */
const IS_WAITING = sql<boolean>`state = 'waiting'`;

/** Holders that died with a row until it is claimed alone: the call may be what kills them (T112). */
const SUSPECT_FROM_ATTEMPTS = 3;

const FREE = { lease_owner: null, lease_until: 0 } as const;

export interface ClaimedFulfilment {
  orderId: string;
  reference: string;
  attempts: number;
  leaseVersion: number;
}

export class FulfilmentStore {
  readonly #write: Database['write'];
  readonly #isPostgres: boolean;

  constructor(database: Database) {
    this.#write = database.write;
    this.#isPostgres = database.kind === 'postgres';
  }

  /**
   * Claims fulfilments that nobody holds, the longest due first, and counts the attempt that begins,
   * unless their last holder claims them again. Leaves the orders `inHand`. If this fails, what was
   * claimed is free again when its lease ends.
   */
  async claim(
    owner: string,
    now: number,
    leaseMs: number,
    limit: number,
    inHand: readonly string[] = [],
  ): Promise<ClaimedFulfilment[]> {
    return this.#claimOnce((trx) => {
      const free = this.#selectFree(trx, now, inHand)
        .where((eb) =>
          eb.or([eb('attempts', '<', SUSPECT_FROM_ATTEMPTS), eb('lease_owner', 'is', null)]),
        )
        .orderBy('due_at')
        .limit(limit);
      return this.#take(trx, free, owner, now, leaseMs).execute();
    });
  }

  /** Claims the suspect whose holders died with it least often, and puts it off by that. */
  async claimSuspect(
    owner: string,
    now: number,
    leaseMs: number,
    inHand: readonly string[] = [],
  ): Promise<ClaimedFulfilment | undefined> {
    const [claimed] = await this.#claimOnce((trx) => {
      const suspect = this.#selectFree(trx, now, inHand)
        .where('attempts', '>=', SUSPECT_FROM_ATTEMPTS)
        .where('lease_owner', 'is not', null)
        .orderBy('attempts')
        .orderBy('due_at')
        .limit(1);
      return this.#take(trx, suspect, owner, now, leaseMs)
        .set({ due_at: sql<number>`cast(${now} as bigint) + 1000 * (1 << attempts)` })
        .execute();
    });
    return claimed;
  }

  async renew(
    held: ClaimedFulfilment,
    owner: string,
    now: number,
    leaseMs: number,
  ): Promise<boolean> {
    const values = { lease_until: this.#leaseEnd(now, leaseMs) };
    return this.#write((trx) => updateHeld(trx, held, owner, values));
  }

  async finish(held: ClaimedFulfilment, owner: string, now: number): Promise<boolean> {
    return this.#letGo(held, owner, { state: 'done', done_at: now });
  }

  async postpone(
    held: ClaimedFulfilment,
    owner: string,
    dueAt: number,
    lastError?: string,
  ): Promise<boolean> {
    return this.#letGo(held, owner, { due_at: dueAt, ...ifKnown(lastError) });
  }

  async park(held: ClaimedFulfilment, owner: string, lastError?: string): Promise<boolean> {
    return this.#letGo(held, owner, { state: 'parked', ...ifKnown(lastError) });
  }

  async redrive(reference: string, now: number): Promise<boolean> {
    return this.#write(async (trx, mayBeDone) => {
      const redriven = await trx
        .updateTable('service_pay_fulfilments')
        .set({ state: 'waiting', attempts: 0, due_at: now })
        .where('reference', '=', reference)
        .where('state', '=', 'parked')
        .returning('reference')
        .executeTakeFirst();
      // due from that very millisecond on, also once a worker has claimed it
      return redriven !== undefined || (mayBeDone && (await isSo(trx, { reference, due_at: now })));
    });
  }

  /** After a commit whose answer was lost, another claim would take others besides. */
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
   * Lets a fulfilment go, or returns false if another worker has taken over. Returns true again after
   * a commit whose answer was lost: a row that is so under this version was let go by it (T113).
   */
  async #letGo(
    held: ClaimedFulfilment,
    owner: string,
    values: Partial<Tables['service_pay_fulfilments']>,
  ): Promise<boolean> {
    const { orderId: order_id, leaseVersion: lease_version } = held;
    return this.#write(
      async (trx) =>
        (await updateHeld(trx, held, owner, { ...values, ...FREE })) ||
        (await isSo(trx, { ...values, order_id, lease_version, lease_until: 0 })),
    );
  }

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

  #take(
    trx: Transaction<Tables>,
    chosen: SelectQueryBuilder<Tables, 'service_pay_fulfilments', { order_id: string }>,
    owner: string,
    now: number,
    leaseMs: number,
  ) {
    // As an array the rows are chosen once; otherwise PostgreSQL might choose again for each row.
    const isChosen = this.#isPostgres
      ? sql<boolean>`order_id = any(array(${chosen}))`
      : sql<boolean>`order_id in (${chosen})`;
    return trx
      .updateTable('service_pay_fulfilments')
      .set((eb) => ({
        lease_owner: owner,
        lease_version: eb('lease_version', '+', 1),
        lease_until: this.#leaseEnd(now, leaseMs),
        attempts: sql<number>`attempts + case when lease_owner = ${owner} then 0 else 1 end`,
      }))
      .where(isChosen)
      .where('lease_until', '<=', this.#leaseTime(now))
      .returning(['order_id as orderId', 'reference', 'attempts', 'lease_version as leaseVersion']);
  }

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

async function isSo(
  trx: Transaction<Tables>,
  values: Partial<Tables['service_pay_fulfilments']>,
): Promise<boolean> {
  const found = await trx
    .selectFrom('service_pay_fulfilments')
    .select('order_id')
    .where((eb) => eb.and(values))
    .executeTakeFirst();
  return found !== undefined;
}

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
