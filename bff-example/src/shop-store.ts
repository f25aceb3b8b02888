import { randomUUID } from 'node:crypto';
import type { Kysely } from 'kysely';

import { buildAskingStatements } from './asking-statements.ts';
import { buildThrottle, realClock } from './clock.ts';
import type { Database } from './database.ts';
import { buildDeliveryWrites, type NewDelivery } from './delivery-writes.ts';
import { gather } from './gather.ts';
import { findKeyUse, type KeyUse, type Once, takeKey } from './key-statements.ts';
import { isOver, type Order, type OrderCustomer, type OrderLine, type Payment } from './order.ts';
import type { Paid, Pay } from './paid-statements.ts';
import { findState, PAID_WRITES } from './paid-writes.ts';
import { buildShopStatements, selectPayments } from './shop-statements.ts';
import type { PaymentState, Tables } from './tables.ts';
import { WriteBatch, type WriteGroup } from './write-batch.ts';

/** A time that never comes. */
export const NEVER = Number.MAX_SAFE_INTEGER;

/** Far longer than anybody waits to ask again (D59). */
const ASKS_KEPT_MS = 60_000;

/** Payments kept in memory once nothing changes them any more. */
const MOST_KEPT = 1_000;

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
  readonly #writes: WriteBatch;
  readonly #kind: Database['kind'];
  readonly #statements: ReturnType<typeof buildShopStatements>;
  readonly #asking: ReturnType<typeof buildAskingStatements>;
  readonly #deliveries: WriteGroup<NewDelivery, boolean>;
  /** Pages ask about a payment again and again, also when it is paid. */
  readonly #over = new Map<string, Payment>();
  readonly #findPayment: (reference: string) => Promise<Payment | undefined>;
  readonly #findOrder: (id: string) => Promise<
    | (Pick<Tables['orders'], 'id' | 'customer' | 'lines' | 'amount' | 'currency'> & {
        browserId: string;
      })
    | undefined
  >;
  readonly #claimAsk: (ask: {
    reference: string;
    everyMs: number;
    now: number;
  }) => Promise<boolean>;
  readonly #mayForget = buildThrottle(realClock, ASKS_KEPT_MS);

  constructor(database: Database, writes = new WriteBatch(database)) {
    this.#db = database.db;
    this.#kind = database.kind;
    this.#writes = writes;
    this.#statements = buildShopStatements(database.kind);
    this.#asking = buildAskingStatements(database.kind);
    this.#deliveries = buildDeliveryWrites(this.#statements, this.#asking);
    const { findPayments, findOrders } = this.#statements;
    const { claimAsks } = this.#asking;
    this.#findPayment = gather(async (references) => {
      const found = await findPayments(
        database.db,
        references.map((reference) => ({ reference })),
        {},
      );
      const byReference = new Map(found.map((payment) => [payment.reference, payment]));
      return references.map((reference) => byReference.get(reference));
    });
    this.#findOrder = gather(async (ids) => {
      const found = await findOrders(
        database.db,
        ids.map((id) => ({ id })),
        {},
      );
      const byId = new Map(found.map((row) => [row.id, row]));
      return ids.map((id) => byId.get(id));
    });
    this.#claimAsk = gather(async (asks) => {
      const [now, everyMs] = [
        Math.max(...asks.map((ask) => ask.now)),
        Math.max(...asks.map((ask) => ask.everyMs)),
      ];
      const won = await claimAsks(database.db, asks, {
        now,
        before: now - everyMs,
        after: now + everyMs,
      });
      const left = new Set(won.map(({ reference }) => reference));
      // of several that wanted the same one may
      return asks.map(({ reference }) => left.delete(reference));
    });
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
  ): Promise<string | undefined> {
    return this.#writes.run(async (trx) => {
      const { addOrder, addPayment } = this.#statements;
      const earlier = once && (await takeKey(trx, order.browserId, once, { reference, now }));
      if (earlier) return earlier.isSameRequest ? earlier.reference : undefined;
      const { id, browserId, customer, lines, amount, currency } = order;
      const row = {
        id,
        browser_id: browserId,
        customer: JSON.stringify(customer),
        lines: JSON.stringify(lines),
        amount,
        currency,
      };
      await addOrder(trx, { ...row, created_at: now });
      await addPayment(trx, { orderId: id, reference, checkAt, now, pauseMs: checkAt - now });
      return reference;
    });
  }

  /** What this browser used a key for before, if it did. */
  async findKeyUse(browserId: string, once: Once): Promise<KeyUse | undefined> {
    return findKeyUse(this.#db, browserId, once);
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
    return this.#writes.run(async (trx, mayBeDone) => {
      if (mayBeDone && (await findState(trx, reference)) !== undefined) return 'added';
      // Two tabs that retry at the same moment get one payment between them: the second waits here
      // for the first to commit.
      if (this.#kind === 'postgres')
        await trx.selectFrom('orders').select('id').where('id', '=', orderId).forUpdate().execute();
      const payments = await trx
        .selectFrom('payments')
        .select(['state', 'created_at'])
        .where('order_id', '=', orderId)
        .execute();
      if (payments.some(({ state }) => state === 'paid')) return 'paid';
      if (payments.some(({ state }) => state === 'needs-review')) return 'in-review';
      if (payments.some((one) => one.state === 'awaiting-payment' && one.created_at >= openSince))
        return 'open';
      const [added] = await this.#statements.addPayment(trx, {
        orderId,
        reference,
        checkAt,
        now,
        pauseMs: checkAt - now,
      });
      return added ? 'added' : 'too-many';
    });
  }

  async findPayment(reference: string): Promise<Payment | undefined> {
    const payment = this.recall(reference) ?? (await this.#findPayment(reference));
    if (payment && isOver(payment)) this.keep(payment);
    return payment;
  }

  /** A payment that is known to be over, without a look at the database. */
  recall(reference: string): Payment | undefined {
    return this.#over.get(reference);
  }

  /** Keeps a payment that is over in memory, for a while. */
  keep(payment: Payment): void {
    this.#over.set(payment.reference, payment);
    const [oldest] = this.#over.keys();
    if (this.#over.size > MOST_KEPT) this.#over.delete(oldest!);
  }

  /**
   * Lets the database have its say: one that took over from another may know less than this
   * process.
   */
  forget(reference: string): void {
    this.#over.delete(reference);
  }

  /** The payment, if this browser made its order (D56). */
  async findPaymentOf(browserId: string, reference: string): Promise<Payment | undefined> {
    const payment = await this.findPayment(reference);
    return payment?.browserId === browserId ? payment : undefined;
  }

  /** Returns the payments of an order, the oldest first. */
  async findPaymentsOfOrder(orderId: string): Promise<Payment[]> {
    return selectPayments(this.#db)
      .where('order_id', '=', orderId)
      .orderBy('created_at')
      .orderBy('reference')
      .execute();
  }

  /**
   * Returns the newest payment that this browser may still pay: the newest of its order, which is
   * neither paid nor in review.
   */
  async findOpenPaymentOf(browserId: string): Promise<Payment | undefined> {
    return selectPayments(this.#db)
      .where('state', '=', 'awaiting-payment')
      .where((eb) =>
        eb(
          'order_id',
          'in',
          eb
            .selectFrom('orders')
            .select('id')
            .where('browser_id', '=', browserId)
            .where('paid_reference', 'is', null),
        ),
      )
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('payments as other')
              .select('other.reference')
              .whereRef('other.order_id', '=', 'payments.order_id')
              .where((eb) =>
                eb.or([
                  eb('other.state', '=', 'needs-review'),
                  eb('other.created_at', '>', eb.ref('payments.created_at')),
                ]),
              ),
          ),
        ),
      )
      .orderBy('created_at', 'desc')
      .orderBy('reference', 'desc')
      .limit(1)
      .executeTakeFirst();
  }

  async findOrder(id: string): Promise<Order | undefined> {
    const row = await this.#findOrder(id);
    return (
      row && {
        ...row,
        customer: JSON.parse(row.customer) as OrderCustomer,
        lines: JSON.parse(row.lines) as OrderLine[],
      }
    );
  }

  async findPaymentsIn(state: PaymentState, limit: number): Promise<Payment[]> {
    return selectPayments(this.#db)
      .where('state', '=', state)
      .orderBy('created_at', 'desc')
      .limit(limit)
      .execute();
  }

  /**
   * Moves a payment to `paid` and writes its fulfilment, or to `needs-review` where the order was
   * paid before, in one transaction. Gives the new state, or undefined where the payment was no
   * longer open.
   */
  async markPaid(reference: string, now: number): Promise<Paid | undefined> {
    return this.#pay(reference, this.#statements.payConfirmed, now);
  }

  /**
   * A person's yes to a payment in `needs-review` (D51). The goods go out unless they did before.
   * False where it is not in review.
   */
  async accept(reference: string, now: number): Promise<boolean> {
    return (await this.#pay(reference, this.#statements.payAccepted, now)) !== undefined;
  }

  /** Moves a payment that nobody has paid. False where it was in none of the states named. */
  async move(
    reference: string,
    from: readonly PaymentState[],
    to: 'failed' | 'expired' | 'refused' | 'needs-review',
    now: number,
    reason?: string,
  ): Promise<boolean> {
    return this.#writes.run(async (trx, mayBeDone) => {
      const moved = await trx
        .updateTable('payments')
        .set({ state: to, moved_at: now, ...(reason && { review_reason: reason }) })
        .where('reference', '=', reference)
        .where('state', 'in', from)
        .returning('reference')
        .executeTakeFirst();
      if (!moved) return mayBeDone && (await findState(trx, reference)) === to;
      await this.#statements.handleDeliveries(trx, [{ reference }], { now });
      return true;
    });
  }

  /** How payments stand, as far as they are known. */
  async findStates(
    references: readonly string[],
  ): Promise<{ reference: string; state: PaymentState }[]> {
    return this.#statements.findStates(
      this.#db,
      references.map((reference) => ({ reference })),
      {},
    );
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
    const { findDue, claim } = this.#asking;
    if (!(await findDue(this.#db, { now, limit: 1 })).length) return [];
    return this.#writes.run(async (trx) => {
      const due = await findDue(trx, { now, limit });
      const planned = due.map(({ reference, created_at, check_at, check_pause_ms }) => {
        const ageMs = now - created_at;
        const next = plan(ageMs, check_pause_ms);
        return {
          reference,
          ageMs,
          readCheckAt: check_at,
          checkAt: next ? now + next.claimMs : NEVER,
          pauseMs: next?.pauseMs ?? check_pause_ms,
        };
      });
      const won = new Set((await claim(trx, planned, {})).map(({ reference }) => reference));
      return planned.filter(({ reference }) => won.has(reference));
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
    await this.#writes.run((trx) =>
      trx
        .updateTable('payments')
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
    delivery: Omit<Tables['webhook_deliveries'], 'handled_at'>,
    checkAt: number,
  ): Promise<boolean> {
    return this.#writes.runIn(this.#deliveries, { delivery, checkAt });
  }

  /**
   * Marks what was told of a payment, where the service has answered and there is nothing to do.
   */
  async handleDeliveries(reference: string, now: number): Promise<void> {
    await this.#writes.run((trx) =>
      this.#statements.handleDeliveries(trx, [{ reference }], { now }),
    );
  }

  /**
   * Whether the service may be asked about a payment now: once in `everyMs`, whichever of many
   * instances wants to (D59). One that is alone keeps to that by itself.
   */
  async claimAsk(reference: string, everyMs: number, now: number): Promise<boolean> {
    if (this.#kind === 'sqlite') return true;
    if (this.#mayForget('asks'))
      await this.#asking.forgetAsks(this.#db, { before: now - ASKS_KEPT_MS });
    return this.#claimAsk({ reference, everyMs, now });
  }

  /**
   * Writes a row, removes it again and commits. Fails where the database does not answer, is
   * read-only, full, or locked (T122).
   */
  async ping(): Promise<void> {
    const probe = { browser_id: 'readyz', key: randomUUID() };
    await this.#writes.run(async (trx) => {
      await trx
        .insertInto('idempotency_keys')
        .values({ ...probe, request_hash: '', reference: '', created_at: 0 })
        .execute();
      await trx
        .deleteFrom('idempotency_keys')
        .where('browser_id', '=', probe.browser_id)
        .where('key', '=', probe.key)
        .execute();
    });
  }

  #pay(reference: string, pay: Pay, now: number): Promise<Paid | undefined> {
    return this.#writes.runIn(PAID_WRITES, { reference, pay, now });
  }
}
