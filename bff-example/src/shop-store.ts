import { type Kysely, sql } from 'kysely';

import type { Database } from './database.ts';
import type { Order, OrderCustomer, OrderLine, Payment } from './order.ts';
import { buildShopStatements, IS_ASKED_ABOUT, selectPayments } from './shop-statements.ts';
import type { PaymentState, Tables } from './tables.ts';
import { WriteBatch } from './write-batch.ts';

/** A time that never comes. */
const NEVER = Number.MAX_SAFE_INTEGER;

const MOST_IN_A_LIST = 1_000;

/** A payment that was claimed to be asked about until `checkAt`, with its last pause. */
export interface DuePayment {
  reference: string;
  checkAt: number;
  ageMs: number;
  pauseMs: number;
}

/** Every statement on orders, payments and deliveries. Races are decided by one conditional write each, never by reading first. */
export class ShopStore {
  readonly #db: Kysely<Tables>;
  readonly #writes: WriteBatch;
  readonly #statements = buildShopStatements();

  constructor(database: Database, writes = new WriteBatch(database)) {
    this.#db = database.db;
    this.#writes = writes;
  }

  /**
   * Stores an order with its first payment. With a key this browser has used before nothing is stored, and the answer is the
   * reference of then, or undefined where the key came with another request (T67).
   */
  async placeOrder(
    order: Order,
    reference: string,
    checkAt: number,
    now: number,
    once?: { key: string; requestHash: string },
  ): Promise<string | undefined> {
    return this.#writes.run(async (trx) => {
      if (once) {
        const row = { browser_id: order.browserId, key: once.key, request_hash: once.requestHash, reference, created_at: now };
        const isNew = await trx
          .insertInto('idempotency_keys')
          .values(row)
          .onConflict((conflict) => conflict.doNothing())
          .returning('key')
          .executeTakeFirst();
        if (!isNew) {
          const earlier = await trx
            .selectFrom('idempotency_keys')
            .select(['reference', 'request_hash'])
            .where('browser_id', '=', order.browserId)
            .where('key', '=', once.key)
            .executeTakeFirstOrThrow();
          return earlier.request_hash === once.requestHash ? earlier.reference : undefined;
        }
      }
      const { id, amount, currency } = order;
      await trx
        .insertInto('orders')
        .values({
          id,
          browser_id: order.browserId,
          customer: JSON.stringify(order.customer),
          lines: JSON.stringify(order.lines),
          amount,
          currency,
          paid_reference: null,
          created_at: now,
        })
        .execute();
      await trx
        .insertInto('payments')
        .values({
          reference,
          order_id: id,
          amount,
          currency,
          state: 'awaiting-payment',
          review_reason: null,
          created_at: now,
          moved_at: now,
          check_at: checkAt,
          check_pause_ms: checkAt - now,
        })
        .execute();
      return reference;
    });
  }

  /** Adds a payment to an order that is not paid. False where it is. */
  async addPayment(orderId: string, reference: string, checkAt: number, now: number): Promise<boolean> {
    const added = await this.#db
      .insertInto('payments')
      .columns(['reference', 'order_id', 'amount', 'currency', 'state', 'created_at', 'moved_at', 'check_at', 'check_pause_ms'])
      .expression((eb) =>
        eb
          .selectFrom('orders')
          .select([
            eb.val(reference).as('reference'),
            'id',
            'amount',
            'currency',
            sql<PaymentState>`'awaiting-payment'`.as('state'),
            eb.val(now).as('created_at'),
            eb.val(now).as('moved_at'),
            eb.val(checkAt).as('check_at'),
            eb.val(checkAt - now).as('check_pause_ms'),
          ])
          .where('id', '=', orderId)
          .where('paid_reference', 'is', null),
      )
      .returning('reference')
      .executeTakeFirst();
    return added !== undefined;
  }

  async findPayment(reference: string): Promise<Payment | undefined> {
    const [payment] = await this.#statements.findPayment(this.#db, { reference });
    return payment;
  }

  /** The payment, if this browser made its order (D56). */
  async findPaymentOf(browserId: string, reference: string): Promise<Payment | undefined> {
    const payment = await this.findPayment(reference);
    return payment?.browserId === browserId ? payment : undefined;
  }

  async findOrder(id: string): Promise<Order | undefined> {
    const [row] = await this.#statements.findOrder(this.#db, { id });
    return row && { ...row, customer: JSON.parse(row.customer) as OrderCustomer, lines: JSON.parse(row.lines) as OrderLine[] };
  }

  async findPaymentsIn(state: PaymentState, limit: number): Promise<Payment[]> {
    return selectPayments(this.#db).where('state', '=', state).orderBy('created_at', 'desc').limit(limit).execute();
  }

  /**
   * Moves a payment to `paid` and writes its fulfilment, or to `needs-review` where the order was paid before, in one
   * transaction. Gives the new state, or undefined where the payment was no longer open.
   */
  async markPaid(reference: string, now: number): Promise<'paid' | 'needs-review' | undefined> {
    return this.#pay(reference, this.#statements.payOpen, { state: 'needs-review', reviewReason: 'order already paid' }, now);
  }

  /** A person's yes to a payment in `needs-review` (D51). The goods go out unless they did before. False where it is not in review. */
  async accept(reference: string, now: number): Promise<boolean> {
    return (await this.#pay(reference, this.#statements.payReviewed, { state: 'paid', reviewReason: null }, now)) !== undefined;
  }

  /** Moves a payment that nobody has paid. False where it was in none of the states named. */
  async move(
    reference: string,
    from: readonly PaymentState[],
    to: 'failed' | 'expired' | 'refused' | 'needs-review',
    now: number,
    reason?: string,
  ): Promise<boolean> {
    const moved = await this.#db
      .updateTable('payments')
      .set({ state: to, moved_at: now, ...(reason && { review_reason: reason }) })
      .where('reference', '=', reference)
      .where('state', 'in', from)
      .returning('reference')
      .executeTakeFirst();
    return moved !== undefined;
  }

  /** How payments stand, as far as they are known. */
  async findStates(references: readonly string[]): Promise<{ reference: string; state: PaymentState }[]> {
    const found: { reference: string; state: PaymentState }[] = [];
    for (let at = 0; at < references.length; at += MOST_IN_A_LIST) {
      const some = references.slice(at, at + MOST_IN_A_LIST);
      found.push(...(await this.#db.selectFrom('payments').select(['reference', 'state']).where('reference', 'in', some).execute()));
    }
    return found;
  }

  /**
   * Claims payments that are due to be asked about, oldest first. `plan` gives how long a claim holds, so that one lost with its
   * process is made again, and the pause to write down; or undefined to ask no more.
   */
  async claimDue(
    now: number,
    limit: number,
    plan: (ageMs: number, lastPauseMs: number) => { claimMs: number; pauseMs: number } | undefined,
  ): Promise<DuePayment[]> {
    const due = await this.#db
      .selectFrom('payments')
      .select(['reference', 'created_at', 'check_at', 'check_pause_ms'])
      .where(IS_ASKED_ABOUT)
      .where('check_at', '<=', now)
      .orderBy('check_at')
      .limit(limit)
      .execute();
    if (!due.length) return [];
    return this.#writes.run(async (trx) => {
      const claimed: DuePayment[] = [];
      for (const { reference, created_at, check_at, check_pause_ms } of due) {
        const ageMs = now - created_at;
        const { claimMs, pauseMs } = plan(ageMs, check_pause_ms) ?? { claimMs: undefined, pauseMs: check_pause_ms };
        const checkAt = claimMs === undefined ? NEVER : now + claimMs;
        const won = await trx
          .updateTable('payments')
          .set({ check_at: checkAt, check_pause_ms: pauseMs })
          .where('reference', '=', reference)
          .where('check_at', '=', check_at)
          .returning('reference')
          .executeTakeFirst();
        if (won && claimMs !== undefined) claimed.push({ reference, checkAt, ageMs, pauseMs });
      }
      return claimed;
    });
  }

  /** Plans when a claimed payment is due next, and the pause that was. Does nothing where it was planned anew since it was claimed. */
  async planAsk(
    reference: string,
    { claimedUntil, checkAt, pauseMs }: { claimedUntil: number; checkAt: number; pauseMs?: number },
  ): Promise<void> {
    await this.#writes.run((trx) =>
      trx
        .updateTable('payments')
        .set({ check_at: checkAt, ...(pauseMs !== undefined && { check_pause_ms: pauseMs }) })
        .where('reference', '=', reference)
        .where('check_at', '=', claimedUntil)
        .execute(),
    );
  }

  /** Stores a delivery once per body, and makes its payment due at `checkAt`, should the confirm that follows be lost. */
  async storeDelivery(delivery: Tables['webhook_deliveries'], checkAt: number): Promise<void> {
    await this.#writes.run(async (trx) => {
      const [stored] = await this.#statements.addDelivery(trx, delivery);
      const { reference } = delivery;
      if (stored && reference) await this.#statements.askBy(trx, { reference, checkAt });
    });
  }

  /** Fails where the database does not answer. */
  async ping(): Promise<void> {
    await sql`select 1 from payments limit 1`.execute(this.#db);
  }

  async #pay(
    reference: string,
    { takeOrder, movePayment }: ReturnType<typeof buildShopStatements>['payOpen'],
    otherwise: { state: 'paid' | 'needs-review'; reviewReason: string | null },
    now: number,
  ): Promise<'paid' | 'needs-review' | undefined> {
    return this.#writes.run(async (trx) => {
      const [order] = await takeOrder(trx, { reference });
      const [payment] = await movePayment(trx, { reference, now, ...(order ? { state: 'paid', reviewReason: null } : otherwise) });
      if (!order) return payment && otherwise.state;
      if (!payment) throw new Error('The payment moved elsewhere while its order was being paid.');
      await this.#statements.addFulfilment(trx, { orderId: order.id, reference, now });
      return 'paid';
    });
  }
}
