import { randomUUID } from 'node:crypto';
import { type Kysely, sql, type Transaction } from 'kysely';
import type { Database } from '../database/open.ts';
import type { PaymentState, Tables } from '../database/schema.ts';
import { buildThrottle, realClock } from '../support/clock.ts';
import { askBy, forgetAsks, planAsks, selectDue, takeAsk } from './asking-queries.ts';
import { findKeyUse, type KeyUse, type Once, takeKey } from './key-queries.ts';
import { ACCEPTED, CONFIRMED, handleDeliveries, type Paid, pay } from './paid-queries.ts';
import type { Order, Payment } from './payment.ts';

/** A time that never comes. */
export const NEVER = Number.MAX_SAFE_INTEGER;

/** Far longer than anybody waits to ask again (D59). */
const ASKS_KEPT_MS = 60_000;

/** Payments of one order: far more than people try, and an end to a page that tries for ever. */
const MOST_PAYMENTS = 20;

/** Runs statements: a transaction, or the database itself. */
export type Writer = Kysely<Tables>;

/**
 * A payment that was claimed to be asked about until `checkAt`, with its last pause. One that is
 * asked about no more was until `NEVER`.
 */
export interface DuePayment {
  reference: string;
  checkAt: number;
  ageMs: number;
  pauseMs: number;
}

/**
 * Every statement on orders, their payments and keys, and deliveries. Races are decided by the rows
 * themselves, by conditional writes and locks, never by reading first.
 */
export class ShopStore {
  readonly #db: Kysely<Tables>;
  readonly #write: Database['write'];
  readonly #kind: Database['kind'];
  readonly #mayForget = buildThrottle(realClock, ASKS_KEPT_MS);

  constructor(database: Database) {
    this.#db = database.db;
    this.#kind = database.kind;
    this.#write = database.write;
  }

  /**
   * Stores an order with its first payment. With a key this browser has used before nothing is
   * stored, and the answer is the reference of then, or undefined where the key came with another
   * request (T67).
   */
  async placeOrder(
    order: Order,
    reference: string,
    checkAt: number,
    now: number,
    once?: Once,
    transaction?: Writer,
  ): Promise<string | undefined> {
    const place = async (trx: Writer) => {
      const earlier = once && (await takeKey(trx, order.owner, once, { reference, now }));
      if (earlier) return earlier.isSameRequest ? earlier.reference : undefined;
      await insertPayment(trx, order, reference, checkAt, now);
      return reference;
    };
    return transaction ? place(transaction) : this.#write(place);
  }

  /** Returns the payments of the order that a payment is of, the oldest first. */
  async findOrderOf(reference: string, db: Writer = this.#db): Promise<Payment[]> {
    const rows = await selectPayments(db)
      .where('order_id', '=', (eb) =>
        eb
          .selectFrom('service_pay_payments as named')
          .select('named.order_id')
          .where('named.reference', '=', reference),
      )
      .orderBy('created_at')
      .orderBy('reference')
      .execute();
    return rows.map(toPayment);
  }

  /** What this browser used a key for before, if it did. */
  async findKeyUse(owner: string, once: Once): Promise<KeyUse | undefined> {
    return findKeyUse(this.#db, owner, once);
  }

  /**
   * Adds a payment to an order, or says why the order takes no more: it is paid, may turn out to
   * be, has another payment that was made at `openSince` or later and still waits to be paid, or
   * was tried too often.
   */
  async addPayment(
    orderId: string,
    reference: string,
    checkAt: number,
    now: number,
    openSince = NEVER,
  ): Promise<'added' | 'paid' | 'in-review' | 'open' | 'too-many'> {
    return this.#write(async (trx, mayBeDone) => {
      if (mayBeDone && (await findState(trx, reference)) !== undefined) return 'added';
      // Two tabs that retry at the same moment get one payment between them: the second waits here
      // for the first to commit.
      const order = await selectPayments(trx)
        .where('order_id', '=', orderId)
        .orderBy('created_at')
        .orderBy('reference')
        .limit(1)
        .$if(this.#kind === 'postgres', (query) => query.forUpdate())
        .executeTakeFirst();
      const payments = await trx
        .selectFrom('service_pay_payments')
        .select(['state', 'created_at'])
        .where('order_id', '=', orderId)
        .execute();
      if (payments.some(({ state }) => state === 'paid')) return 'paid';
      if (payments.some(({ state }) => state === 'needs-review')) return 'in-review';
      if (payments.some((one) => one.state === 'awaiting-payment' && one.created_at >= openSince))
        return 'open';
      if (!order || payments.length >= MOST_PAYMENTS) return 'too-many';
      const isAdded = await insertPayment(
        trx,
        { ...order, id: orderId, data: JSON.parse(order.data) },
        reference,
        checkAt,
        now,
      );
      return isAdded ? 'added' : 'too-many';
    });
  }

  async findPayment(reference: string): Promise<Payment | undefined> {
    const row = await selectPayments(this.#db)
      .where('reference', '=', reference)
      .executeTakeFirst();
    return row && toPayment(row);
  }

  /** Returns the payments of an order, the oldest first. */
  async findPaymentsOfOrder(orderId: string): Promise<Payment[]> {
    const rows = await selectPayments(this.#db)
      .where('order_id', '=', orderId)
      .orderBy('created_at')
      .orderBy('reference')
      .execute();
    return rows.map(toPayment);
  }

  /**
   * Returns the newest payment that this owner may still pay: the newest of its order, which is
   * neither paid nor in review.
   */
  async findOpenPaymentOf(owner: string): Promise<Payment | undefined> {
    const row = await selectPayments(this.#db)
      .where('state', '=', 'awaiting-payment')
      .where('owner', '=', owner)
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('service_pay_payments as other')
              .select('other.reference')
              .whereRef('other.order_id', '=', 'service_pay_payments.order_id')
              .where((eb) =>
                eb.or([
                  eb('other.state', 'in', ['paid', 'needs-review']),
                  eb('other.created_at', '>', eb.ref('service_pay_payments.created_at')),
                ]),
              ),
          ),
        ),
      )
      .orderBy('created_at', 'desc')
      .orderBy('reference', 'desc')
      .limit(1)
      .executeTakeFirst();
    return row && toPayment(row);
  }

  /** Returns the decisive payment of each of an owner's orders, the newest first. */
  async findOrdersOf(owner: string, limit: number): Promise<Payment[]> {
    const rank = sql<number>`row_number() over (partition by order_id order by
      case state when 'paid' then 0 when 'needs-review' then 1 else 2 end,
      case when state in ('paid', 'needs-review') then created_at else -created_at end)`;
    const ranked = selectPayments(this.#db)
      .select(rank.as('rank'))
      .where('owner', '=', owner)
      .as('ranked');
    const rows = await this.#db
      .selectFrom(ranked)
      .selectAll()
      .where('rank', '=', 1)
      .orderBy('createdAt', 'desc')
      .orderBy('reference', 'desc')
      .limit(limit)
      .execute();
    return rows.map(({ rank: _first, ...row }) => toPayment(row));
  }

  async findPaymentsIn(state: PaymentState, limit: number): Promise<Payment[]> {
    const rows = await selectPayments(this.#db)
      .where('state', '=', state)
      .orderBy('created_at', 'desc')
      .limit(limit)
      .execute();
    return rows.map(toPayment);
  }

  /**
   * Moves a payment to `paid` and writes its fulfilment, or to `needs-review` where the order was
   * paid before, in one transaction. Gives the new state, or undefined where the payment was no
   * longer open.
   */
  async markPaid(reference: string, now: number): Promise<Paid | undefined> {
    return this.#pay(reference, now, CONFIRMED);
  }

  /**
   * A person's yes to a payment in `needs-review` (D51). The goods go out unless they did before.
   * False where it is not in review.
   */
  async accept(reference: string, now: number): Promise<boolean> {
    return (await this.#pay(reference, now, ACCEPTED)) !== undefined;
  }

  /** Moves a payment that nobody has paid. False where it was in none of the states named. */
  async move(
    reference: string,
    from: readonly PaymentState[],
    to: 'failed' | 'expired' | 'refused' | 'needs-review',
    now: number,
    reason?: string,
  ): Promise<boolean> {
    return this.#write(async (trx, mayBeDone) => {
      const moved = await trx
        .updateTable('service_pay_payments')
        .set({ state: to, moved_at: now, ...(reason && { review_reason: reason }) })
        .where('reference', '=', reference)
        .where('state', 'in', from)
        .returning('reference')
        .executeTakeFirst();
      if (!moved) return mayBeDone && (await findState(trx, reference)) === to;
      await handleDeliveries(trx, reference, now);
      return true;
    });
  }

  /** How payments stand, as far as they are known. */
  async findStates(
    references: readonly string[],
  ): Promise<{ reference: string; state: PaymentState }[]> {
    if (!references.length) return [];
    return this.#db
      .selectFrom('service_pay_payments')
      .select(['reference', 'state'])
      .where('reference', 'in', references)
      .execute();
  }

  /**
   * Claims payments that are due to be asked about, oldest first. `plan` gives how long a claim
   * holds, so that one lost with its process is made again, and the pause to write down; or
   * undefined to ask no more, which this tells once.
   */
  async claimDue(
    now: number,
    limit: number,
    plan: (ageMs: number, lastPauseMs: number) => { claimMs: number; pauseMs: number } | undefined,
  ): Promise<DuePayment[]> {
    if (!(await selectDue(this.#db, now, 1).executeTakeFirst())) return [];
    return this.#write(async (trx) => {
      // Rows that another instance claims at this moment are left to it.
      const due = await selectDue(trx, now, limit)
        .$if(this.#kind === 'postgres', (query) => query.forUpdate().skipLocked())
        .execute();
      const claimed = due.map(({ reference, created_at, check_pause_ms }) => {
        const ageMs = now - created_at;
        const next = plan(ageMs, check_pause_ms);
        return {
          reference,
          ageMs,
          checkAt: next ? now + next.claimMs : NEVER,
          pauseMs: next?.pauseMs ?? check_pause_ms,
        };
      });
      if (claimed.length) await planAsks(trx, claimed);
      return claimed;
    });
  }

  /**
   * Plans when a claimed payment is due next, and the pause that was. Does nothing where it was
   * planned anew since it was claimed.
   */
  async planAsk(
    reference: string,
    { claimedUntil, checkAt, pauseMs }: { claimedUntil: number; checkAt: number; pauseMs?: number },
  ): Promise<void> {
    await this.#write((trx) =>
      trx
        .updateTable('service_pay_payments')
        .set({ check_at: checkAt, ...(pauseMs !== undefined && { check_pause_ms: pauseMs }) })
        .where('reference', '=', reference)
        .where('check_at', '=', claimedUntil)
        .execute(),
    );
  }

  /**
   * Stores a delivery once per body, and makes its payment due at `checkAt`, should the confirm
   * that follows be lost. False where it was stored before: then only one that is not handled yet
   * does so again.
   */
  async storeDelivery(
    delivery: Omit<Tables['service_pay_webhook_deliveries'], 'handled_at'>,
    checkAt: number,
  ): Promise<boolean> {
    const { id, reference, received_at } = delivery;
    return this.#write(async (trx) => {
      const isNew = await insertDelivery(trx, delivery);
      if (reference !== null && (isNew || (await isWaiting(trx, id))))
        await askBy(trx, { reference, checkAt, pauseMs: checkAt - received_at });
      return isNew;
    });
  }

  /**
   * Marks what was told of a payment, where the service has answered and there is nothing to do.
   */
  async handleDeliveries(reference: string, now: number): Promise<void> {
    await this.#write((trx) => handleDeliveries(trx, reference, now));
  }

  /**
   * Whether the service may be asked about a payment now: once in `everyMs`, whichever of many
   * instances wants to (D59). One that is alone keeps to that by itself.
   */
  async claimAsk(reference: string, everyMs: number, now: number): Promise<boolean> {
    if (this.#kind === 'sqlite') return true;
    if (this.#mayForget('asks')) await forgetAsks(this.#db, now - ASKS_KEPT_MS);
    return takeAsk(this.#db, reference, everyMs, now);
  }

  /**
   * Writes a row, removes it again and commits. Fails where the database does not answer, is
   * read-only, full, or locked (T122).
   */
  async ping(): Promise<void> {
    const probe = { owner: 'readyz', key: randomUUID() };
    await this.#write(async (trx) => {
      await trx
        .insertInto('service_pay_idempotency_keys')
        .values({ ...probe, request_hash: '', reference: '', created_at: 0 })
        .execute();
      await trx
        .deleteFrom('service_pay_idempotency_keys')
        .where('owner', '=', probe.owner)
        .where('key', '=', probe.key)
        .execute();
    });
  }

  #pay(reference: string, now: number, rule: typeof CONFIRMED): Promise<Paid | undefined> {
    return this.#write(async (trx, mayBeDone) => {
      const state = await pay(trx, reference, now, rule);
      if (state || !mayBeDone) return state;
      const found = await findState(trx, reference);
      return found === 'paid' || found === 'needs-review' ? found : undefined;
    });
  }
}

/**
 * Adds a payment to an order. One that was told of before is due at once (T86). False where it is
 * stored already.
 */
async function insertPayment(
  trx: Writer,
  { id, owner, data, amount, currency }: Order,
  reference: string,
  checkAt: number,
  now: number,
): Promise<boolean> {
  const told = await trx
    .selectFrom('service_pay_webhook_deliveries')
    .select('id')
    .where('reference', '=', reference)
    .where('handled_at', 'is', null)
    .limit(1)
    .executeTakeFirst();
  const added = await trx
    .insertInto('service_pay_payments')
    .values({
      reference,
      order_id: id,
      owner,
      data: JSON.stringify(data),
      amount,
      currency,
      state: 'awaiting-payment',
      created_at: now,
      moved_at: now,
      check_at: told ? now : checkAt,
      check_pause_ms: checkAt - now,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('reference')
    .executeTakeFirst();
  return added !== undefined;
}

/**
 * Stores a delivery. One whose payment is decided leaves nothing to do. False where it is stored
 * already.
 */
async function insertDelivery(
  trx: Transaction<Tables>,
  delivery: Omit<Tables['service_pay_webhook_deliveries'], 'handled_at'>,
): Promise<boolean> {
  const { reference, received_at } = delivery;
  const state = reference === null ? undefined : await findState(trx, reference);
  const isHandled = reference === null || state === 'paid' || state === 'refused';
  const stored = await trx
    .insertInto('service_pay_webhook_deliveries')
    .values({
      ...delivery,
      // PostgreSQL keeps no text with this character in it, and nothing is done with the name of an
      // event.
      event: delivery.event.replaceAll('\u0000', '\ufffd'),
      handled_at: isHandled ? received_at : null,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst();
  return stored !== undefined;
}

/** Whether a stored delivery still waits for its payment to be decided. */
async function isWaiting(trx: Transaction<Tables>, id: string): Promise<boolean> {
  const waiting = await trx
    .selectFrom('service_pay_webhook_deliveries')
    .select('id')
    .where('id', '=', id)
    .where('handled_at', 'is', null)
    .executeTakeFirst();
  return waiting !== undefined;
}

async function findState(
  trx: Transaction<Tables>,
  reference: string,
): Promise<PaymentState | undefined> {
  const payment = await trx
    .selectFrom('service_pay_payments')
    .select('state')
    .where('reference', '=', reference)
    .executeTakeFirst();
  return payment?.state;
}

function selectPayments(db: Kysely<Tables>) {
  return db
    .selectFrom('service_pay_payments')
    .select([
      'reference',
      'order_id as orderId',
      'owner',
      'data',
      'amount',
      'currency',
      'state',
      'review_reason as reviewReason',
      'created_at as createdAt',
    ]);
}

function toPayment(row: Omit<Payment, 'data'> & { data: string }): Payment {
  // a connection of the application's own may give large numbers as text
  return { ...row, data: JSON.parse(row.data), createdAt: Number(row.createdAt) };
}
