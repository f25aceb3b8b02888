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

type Free = SelectQueryBuilder<Tables, 'service_pay_fulfilments', { order_id: string }>;

export interface ClaimedFulfilment {
  orderId: string;
  reference: string;
  attempts: number;
  leaseVersion: number;
}

export type LetGo = Partial<
  Pick<Tables['service_pay_fulfilments'], 'state' | 'due_at' | 'done_at' | 'last_error'>
>;

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
    const choose = (free: Free) =>
      free
        .where((eb) =>
          eb.or([eb('attempts', '<', SUSPECT_FROM_ATTEMPTS), eb('lease_owner', 'is', null)]),
        )
        .orderBy('due_at')
        .limit(limit);
    return this.#take(owner, now, leaseMs, inHand, choose);
  }

  /** Claims the suspect whose holders died with it least often, and puts it off by that. */
  async claimSuspect(
    owner: string,
    now: number,
    leaseMs: number,
    inHand: readonly string[] = [],
  ): Promise<ClaimedFulfilment | undefined> {
    const choose = (free: Free) =>
      free
        .where('attempts', '>=', SUSPECT_FROM_ATTEMPTS)
        .where('lease_owner', 'is not', null)
        .orderBy('attempts')
        .orderBy('due_at')
        .limit(1);
    const due_at = sql<number>`cast(${now} as bigint) + 1000 * (1 << attempts)`;
    return (await this.#take(owner, now, leaseMs, inHand, choose, { due_at }))[0];
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

  /**
   * Lets a fulfilment go, or returns false if another worker has taken over. Returns true again after
   * a commit whose answer was lost: a row that is so under this version was let go by it (T113).
   */
  async letGo(held: ClaimedFulfilment, owner: string, values: LetGo): Promise<boolean> {
    const { orderId: order_id, leaseVersion: lease_version } = held;
    return this.#write(
      async (trx) =>
        (await updateHeld(trx, held, owner, { ...values, ...FREE })) ||
        (await isSo(trx, { ...values, order_id, lease_version, lease_until: 0 })),
    );
  }

  async #take(
    owner: string,
    now: number,
    leaseMs: number,
    inHand: readonly string[],
    choose: (free: Free) => Free,
    more: UpdateObject<Tables, 'service_pay_fulfilments'> = {},
  ): Promise<ClaimedFulfilment[]> {
    const isFree = sql<boolean>`lease_until <= ${this.#leaseTime(now)}`;
    const claimed = await this.#write(async (trx, mayBeDone) => {
      if (mayBeDone) return undefined; // another claim would take others besides
      const free = trx
        .selectFrom('service_pay_fulfilments')
        .select('order_id')
        .where(IS_WAITING)
        .where('due_at', '<=', now)
        .where(isFree)
        .$if(inHand.length > 0, (query) => query.where('order_id', 'not in', inHand))
        .$if(this.#isPostgres, (query) => query.forUpdate().skipLocked());
      // As an array the rows are chosen once; otherwise PostgreSQL might choose again for each row.
      const isChosen = this.#isPostgres
        ? sql<boolean>`order_id = any(array(${choose(free)}))`
        : sql<boolean>`order_id in (${choose(free)})`;
      return trx
        .updateTable('service_pay_fulfilments')
        .set((eb) => ({
          lease_owner: owner,
          lease_version: eb('lease_version', '+', 1),
          lease_until: this.#leaseEnd(now, leaseMs),
          attempts: sql<number>`attempts + case when lease_owner = ${owner} then 0 else 1 end`,
          ...more,
        }))
        .where(isChosen)
        .where(isFree)
        .returning([
          'order_id as orderId',
          'reference',
          'attempts',
          'lease_version as leaseVersion',
        ])
        .execute();
    });
    if (!claimed) throw new NoAnswerError('The database did not say what was claimed.');
    return claimed;
  }

  #leaseTime(now: number) {
    return this.#isPostgres ? POSTGRES_NOW : sql<number>`${now}`;
  }

  #leaseEnd(now: number, leaseMs: number) {
    return sql<number>`${this.#leaseTime(now)} + ${leaseMs}`;
  }
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
