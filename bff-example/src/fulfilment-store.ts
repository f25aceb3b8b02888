import { type Expression, type Kysely, sql, type UpdateObject } from 'kysely';

import { cast, compileForMany, compileOnce, type Given } from './compile-once.ts';
import type { Database } from './database.ts';
import { NoAnswerError } from './no-answer-error.ts';
import type { Tables } from './tables.ts';
import { WriteBatch, type WriteGroup } from './write-batch.ts';

/** The time of the database itself, which instances with clocks of their own agree on (T111). */
export const POSTGRES_NOW = sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`;

/** Spelled out and not bound, so that the index of just these rows is used. */
export const IS_WAITING = sql<boolean>`state = 'waiting'`;

/**
 * Rows whose holder died with them that often: the call may be what kills it. They are claimed one
 * at a time, so that no other order shares their fate, and at growing intervals (T112).
 */
const SUSPECT_FROM_ATTEMPTS = 3;

/** A fulfilment that one worker holds until its lease ends. Later writes check `leaseVersion`. */
export interface ClaimedFulfilment {
  orderId: string;
  reference: string;
  attempts: number;
  leaseVersion: number;
}

/** Who writes, under which lease. */
type Held = Pick<ClaimedFulfilment, 'orderId' | 'leaseVersion'> & { owner: string };

/** A lease to hold on to for `leaseMs` from `now` on. */
interface Renewal extends Held {
  now: number;
  leaseMs: number;
}

/**
 * Every statement on fulfilments once they are written. A holder's later writes check owner and
 * version, so a late one is refused.
 */
export class FulfilmentStore {
  readonly #db: Kysely<Tables>;
  readonly #writes: WriteBatch;
  readonly #statements: ReturnType<typeof buildStatements>;
  readonly #renewals: WriteGroup<Renewal, boolean>;

  constructor(database: Database, writes = new WriteBatch(database)) {
    this.#db = database.db;
    this.#writes = writes;
    this.#statements = buildStatements(database.kind);
    this.#renewals = buildRenewals(this.#statements);
  }

  /**
   * Takes fulfilments that have been due the longest and that nobody holds, counting the attempt
   * that begins: who takes again what it held itself has not died of it. Where this fails, some may
   * have been taken: `findHeld` says which.
   */
  async claim(
    owner: string,
    now: number,
    leaseMs: number,
    limit: number,
  ): Promise<ClaimedFulfilment[]> {
    return this.#claimOnce((trx) => this.#statements.claim(trx, { owner, now, leaseMs, limit }));
  }

  /**
   * Takes the one whose holders died with it least often, of those where they did so again and
   * again. It is put off by that.
   */
  async claimSuspect(
    owner: string,
    now: number,
    leaseMs: number,
  ): Promise<ClaimedFulfilment | undefined> {
    const [claimed] = await this.#claimOnce((trx) =>
      this.#statements.claimSuspect(trx, { owner, now, leaseMs }),
    );
    return claimed;
  }

  /**
   * What this owner holds for `forMs` more at least. A suspect is due only later: its claim has put
   * it off.
   */
  async findHeld(
    owner: string,
    now: number,
    forMs: number,
  ): Promise<(ClaimedFulfilment & { dueAt: number })[]> {
    return this.#statements.findHeld(this.#db, { owner, now, forMs });
  }

  /** Holds on for `leaseMs` more. False where somebody else has taken over. */
  async renew(
    { orderId, leaseVersion }: ClaimedFulfilment,
    owner: string,
    now: number,
    leaseMs: number,
  ): Promise<boolean> {
    return this.#writes.runIn(this.#renewals, { orderId, leaseVersion, owner, now, leaseMs });
  }

  /** Under which lease this owner holds it now, if it does. */
  async findLeaseVersion(orderId: string, owner: string): Promise<number | undefined> {
    const [held] = await this.#statements.findLeaseVersion(this.#db, { orderId, owner });
    return held?.leaseVersion;
  }

  /** `again` where a try before this one was not answered, and may have been made. */
  async finish(held: ClaimedFulfilment, owner: string, again = false): Promise<boolean> {
    const { finish } = this.#statements;
    return this.#isWritten(held, (trx) => finish(trx, { ...held, owner }), again);
  }

  /**
   * Gives it back to be tried again at `dueAt`, which is the same for every try to write that.
   * `again` as for `finish`.
   */
  async postpone(
    held: ClaimedFulfilment,
    owner: string,
    dueAt: number,
    again = false,
  ): Promise<boolean> {
    const { postpone } = this.#statements;
    const postponed = { order_id: held.orderId, due_at: dueAt };
    if (again && (await isSo(this.#db, postponed))) return true;
    return this.#writes.run(async (trx, mayBeDone) => {
      const mayBeWritten = mayBeDone || again;
      const isWritten = () => isSo(trx, postponed);
      // Read first: since it was given back its owner may have claimed it anew, and that attempt is
      // still to be made.
      if (mayBeWritten && (await isWritten())) return true;
      return (
        (await postpone(trx, { ...held, owner, dueAt })).length > 0 ||
        (mayBeWritten && (await isWritten()))
      );
    });
  }

  /** Gives it up until a person redrives it. `again` as for `finish`. */
  async park(held: ClaimedFulfilment, owner: string, again = false): Promise<boolean> {
    const { park } = this.#statements;
    return this.#isWritten(held, (trx) => park(trx, { ...held, owner }), again);
  }

  /** A person's order to try again from the start. False where it is not parked. */
  async redrive(reference: string, now: number): Promise<boolean> {
    return this.#writes.run(async (trx, mayBeDone) => {
      const redriven = await trx
        .updateTable('fulfilments')
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
    claim: (trx: Kysely<Tables>) => Promise<ClaimedFulfilment[]>,
  ): Promise<ClaimedFulfilment[]> {
    const claimed = await this.#writes.run(async (trx, mayBeDone) =>
      mayBeDone ? undefined : claim(trx),
    );
    if (!claimed) throw new NoAnswerError('The database did not say what was claimed.');
    return claimed;
  }

  /**
   * Only its holder lets a fulfilment go, and each new holder has a lease of its own: one that is
   * free under this lease was let go under it (T113).
   */
  async #isWritten(
    { orderId, leaseVersion }: ClaimedFulfilment,
    write: (trx: Kysely<Tables>) => Promise<unknown[]>,
    again = false,
  ): Promise<boolean> {
    const free = { order_id: orderId, lease_version: leaseVersion, lease_until: 0 };
    if (again && (await isSo(this.#db, free))) return true;
    return this.#writes.run(async (trx, mayBeDone) => {
      const written = (await write(trx)).length > 0;
      return written || ((mayBeDone || again) && (await isSo(trx, free)));
    });
  }
}

/**
 * A look of its own where a write is tried again: while commits are slow, what reads is answered.
 */
async function isSo(trx: Kysely<Tables>, values: Partial<Tables['fulfilments']>): Promise<boolean> {
  const found = await trx
    .selectFrom('fulfilments')
    .select('order_id')
    .where((eb) => eb.and(values))
    .executeTakeFirst();
  return found !== undefined;
}

/**
 * Many are held far from their database, and a round trip for each would take longer than a lease.
 */
function buildRenewals({
  renew,
}: ReturnType<typeof buildStatements>): WriteGroup<Renewal, boolean> {
  return {
    async run(trx, items) {
      // Everybody takes rows in one order, as deliveries.
      const sorted = items.toSorted((one, other) => (one.orderId < other.orderId ? -1 : 1));
      const now = Math.max(...items.map((item) => item.now));
      const leaseMs = Math.max(...items.map((item) => item.leaseMs));
      const renewed = new Map(
        (await renew(trx, sorted, { now, leaseMs })).map((held) => [held.orderId, held]),
      );
      return items.map(({ orderId, owner, leaseVersion }) => {
        const held = renewed.get(orderId);
        return held?.owner === owner && held.leaseVersion === leaseVersion;
      });
    },
  };
}

function buildStatements(kind: Database['kind']) {
  /**
   * Leases are counted by the time of the database: the clocks of instances may differ (T111). A
   * file has one machine's clock.
   */
  const leaseTime = (now: Expression<number>) => (kind === 'postgres' ? POSTGRES_NOW : now);
  const leaseEnd = (now: Expression<number>, leaseMs: Expression<number>) =>
    sql<number>`${leaseTime(now)} + ${cast(leaseMs, 'bigint')}`;
  const free = (db: Kysely<Tables>, now: Expression<number>) =>
    db
      .selectFrom('fulfilments')
      .select('order_id')
      .where(IS_WAITING)
      .where('due_at', '<=', now)
      .where('lease_until', '<=', leaseTime(now));
  const take = (
    db: Kysely<Tables>,
    chosen: ReturnType<typeof free>,
    given: Given<{ owner: string; now: number; leaseMs: number }>,
  ) =>
    db
      .updateTable('fulfilments')
      .set((eb) => ({
        lease_owner: given('owner'),
        lease_version: eb('lease_version', '+', 1),
        lease_until: leaseEnd(given('now'), given('leaseMs')),
        attempts: sql<number>`attempts + case when lease_owner = ${cast(given('owner'), 'text')} then 0 else 1 end`,
      }))
      // As an array the rows are chosen once: PostgreSQL might else choose others for each row it
      // looks at.
      .where(
        kind === 'postgres'
          ? sql<boolean>`order_id = any(array(${chosen.forUpdate().skipLocked()}))`
          : sql<boolean>`order_id in (${chosen})`,
      )
      .where('lease_until', '<=', leaseTime(given('now')))
      .returning(['order_id as orderId', 'reference', 'attempts', 'lease_version as leaseVersion']);

  return {
    claim: compileOnce(
      (db, given: Given<{ owner: string; now: number; leaseMs: number; limit: number }>) => {
        const isNoSuspect = free(db, given('now')).where((eb) =>
          eb.or([eb('attempts', '<', SUSPECT_FROM_ATTEMPTS), eb('lease_owner', 'is', null)]),
        );
        return take(db, isNoSuspect.orderBy('due_at').limit(given('limit')), given);
      },
    ),
    claimSuspect: compileOnce(
      (db, given: Given<{ owner: string; now: number; leaseMs: number }>) => {
        const isSuspect = free(db, given('now'))
          .where('attempts', '>=', SUSPECT_FROM_ATTEMPTS)
          .where('lease_owner', 'is not', null);
        return take(db, isSuspect.orderBy('attempts').orderBy('due_at').limit(1), given).set({
          due_at: sql<number>`${cast(given('now'), 'bigint')} + 1000 * (1 << attempts)`,
        });
      },
    ),
    findHeld: compileOnce((db, given: Given<{ owner: string; now: number; forMs: number }>) =>
      db
        .selectFrom('fulfilments')
        .select([
          'order_id as orderId',
          'reference',
          'attempts',
          'lease_version as leaseVersion',
          'due_at as dueAt',
        ])
        .where(IS_WAITING)
        .where('lease_owner', '=', given('owner'))
        .where('lease_until', '>=', leaseEnd(given('now'), given('forMs')))
        .orderBy('due_at'),
    ),
    /** Orders are named besides, or SQLite reads every fulfilment there is to renew many. */
    renew: compileForMany(
      (db, rows: readonly Given<Held>[], given: Given<Pick<Renewal, 'now' | 'leaseMs'>>) => {
        const held = rows.map(
          (row) =>
            sql`(${cast(row('orderId'), 'text')}, ${cast(row('owner'), 'text')}, ${cast(row('leaseVersion'), 'bigint')})`,
        );
        return db
          .updateTable('fulfilments')
          .set({ lease_until: leaseEnd(given('now'), given('leaseMs')) })
          .where(
            'order_id',
            'in',
            rows.map((row) => row('orderId')),
          )
          .where(sql<boolean>`(order_id, lease_owner, lease_version) in (values ${sql.join(held)})`)
          .where('state', '=', 'waiting')
          .returning([
            'order_id as orderId',
            'lease_owner as owner',
            'lease_version as leaseVersion',
          ]);
      },
    ),
    findLeaseVersion: compileOnce((db, given: Given<Pick<Held, 'orderId' | 'owner'>>) =>
      db
        .selectFrom('fulfilments')
        .select('lease_version as leaseVersion')
        .where('order_id', '=', given('orderId'))
        .where('lease_owner', '=', given('owner')),
    ),
    finish: compileOnce((db, given: Given<Held>) =>
      updateHeld(db, given, { state: 'done', lease_owner: null, lease_until: 0 }),
    ),
    postpone: compileOnce((db, given: Given<Held & { dueAt: number }>) =>
      updateHeld(db, given, { due_at: given('dueAt'), lease_owner: null, lease_until: 0 }),
    ),
    park: compileOnce((db, given: Given<Held>) =>
      updateHeld(db, given, { state: 'parked', lease_owner: null, lease_until: 0 }),
    ),
  };
}

/**
 * A write that only the holder of the lease can make: it gives nothing where somebody else has
 * taken over.
 */
function updateHeld(
  db: Kysely<Tables>,
  given: Given<Held>,
  values: UpdateObject<Tables, 'fulfilments'>,
) {
  return db
    .updateTable('fulfilments')
    .set(values)
    .where('order_id', '=', given('orderId'))
    .where('lease_owner', '=', given('owner'))
    .where('lease_version', '=', given('leaseVersion'))
    .where('state', '=', 'waiting')
    .returning('order_id');
}
