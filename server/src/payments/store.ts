import { randomUUID } from 'node:crypto';
import { type Kysely, sql, type Transaction } from 'kysely';
import { askBy, selectDue } from '../database/asking-queries.ts';
import type { Database } from '../database/open.ts';
import type { PaymentState, Tables } from '../database/schema.ts';
import { ACCEPTED, CONFIRMED, handleDeliveries, type Paid, pay } from './paid-queries.ts';
import type { Order, Payment } from './payment.ts';

export const NEVER = Number.MAX_SAFE_INTEGER;

/** Ends a page that tries for ever. */
const MOST_PAYMENTS_PER_ORDER = 20;

export type Writer = Kysely<Tables>;

/** The same key and request of one owner make no second order (T67). */
export interface Once {
  key: string;
  requestHash: string;
}

/** A payment claimed until `checkAt`, with its last pause; until `NEVER` if it is given up. */
export interface DuePayment {
  reference: string;
  checkAt: number;
  ageMs: number;
  pauseMs: number;
}

type Delivery = Omit<Tables['service_pay_webhook_deliveries'], 'handled_at'>;

/**
 * Every statement on payments, keys and deliveries. Conditional writes and locks decide races, never
 * reading first.
 */
export class ShopStore {
  readonly #db: Kysely<Tables>;
  readonly #write: Database['write'];
  readonly #kind: Database['kind'];

  constructor(database: Database) {
    this.#db = database.db;
    this.#kind = database.kind;
    this.#write = database.write;
  }

  /**
   * Stores an order with its first payment, and returns its reference. With a key that this owner
   * used before, stores nothing and returns the earlier reference, or undefined if the key came
   * with another request (T67).
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
      if (once && !(await takeKey(trx, order.owner, once, reference, now)))
        return (await this.findKeyUse(order.owner, once, trx))?.reference;
      await insertPayment(trx, order, reference, checkAt, now);
      return reference;
    };
    return transaction ? place(transaction) : this.#write(place);
  }

  /**
   * Finds what an owner used a key for: the reference of its order, undefined within if that was
   * another request.
   */
  async findKeyUse(
    owner: string,
    { key, requestHash }: Once,
    db: Writer = this.#db,
  ): Promise<{ reference: string | undefined } | undefined> {
    const used = await db
      .selectFrom('service_pay_idempotency_keys')
      .select(['reference', 'request_hash'])
      .where('owner', '=', owner)
      .where('key', '=', key)
      .executeTakeFirst();
    return used && { reference: used.request_hash === requestHash ? used.reference : undefined };
  }

  /**
   * Adds a payment to an order, or says why the order takes no more: it is paid, may turn out to be,
   * has an open payment made at `openSince` or later, or was tried too often.
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
      // Two tabs that retry at the same moment get one payment: the second waits for the first here.
      const [first] = await selectOrder(trx, orderId)
        .limit(1)
        .$if(this.#kind === 'postgres', (query) => query.forUpdate())
        .execute();
      const payments = await selectOrder(trx, orderId).execute();
      const isIn = (state: PaymentState) => payments.some((one) => one.state === state);
      if (isIn('paid')) return 'paid';
      if (isIn('needs-review')) return 'in-review';
      const isOpen = payments.some(
        ({ state, createdAt }) => state === 'awaiting-payment' && createdAt >= openSince,
      );
      if (isOpen) return 'open';
      if (!first || payments.length >= MOST_PAYMENTS_PER_ORDER) return 'too-many';
      const order = { ...first, id: orderId, data: JSON.parse(first.data) };
      // the clock of another instance may be ahead, and the newest payment is the latest made
      const behindMs = Math.max(0, payments.at(-1)!.createdAt + 1 - now);
      const isAdded = await insertPayment(
        trx,
        order,
        reference,
        checkAt + behindMs,
        now + behindMs,
      );
      return isAdded ? 'added' : 'too-many';
    });
  }

  async findPayment(reference: string, db: Writer = this.#db): Promise<Payment | undefined> {
    const row = await selectPayments(db).where('reference', '=', reference).executeTakeFirst();
    return row && toPayment(row);
  }

  async findPaymentsOfOrder(orderId: string, db: Writer = this.#db): Promise<Payment[]> {
    return (await selectOrder(db, orderId).execute()).map(toPayment);
  }

  async findOpenPaymentOf(owner: string): Promise<Payment | undefined> {
    const [open] = await selectOrdersOf(this.#db, owner)
      .where('state', '=', 'awaiting-payment')
      .limit(1)
      .execute();
    return open && toPayment(open);
  }

  async findOrdersOf(owner: string, limit: number): Promise<Payment[]> {
    return (await selectOrdersOf(this.#db, owner).limit(limit).execute()).map(toPayment);
  }

  async findPaymentsIn(state: PaymentState, limit: number): Promise<Payment[]> {
    const rows = await selectPayments(this.#db)
      .where('state', '=', state)
      .orderBy('created_at', 'desc')
      .limit(limit)
      .execute();
    return rows.map(toPayment);
  }

  async markPaid(reference: string, now: number): Promise<Paid | undefined> {
    return this.#pay(reference, now, CONFIRMED);
  }

  async accept(reference: string, now: number): Promise<boolean> {
    return (await this.#pay(reference, now, ACCEPTED)) !== undefined;
  }

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

  /**
   * Claims payments that are due to be asked about, oldest first. `plan` returns how long a claim
   * holds and the pause to write down, or undefined to ask no more.
   */
  async claimDue(
    now: number,
    limit: number,
    plan: (ageMs: number, lastPauseMs: number) => { claimMs: number; pauseMs: number } | undefined,
  ): Promise<DuePayment[]> {
    if (!(await selectDue(this.#db, now, 1).executeTakeFirst())) return [];
    return this.#write(async (trx) => {
      // leaves rows to another instance that claims them at this moment
      const due = await selectDue(trx, now, limit)
        .$if(this.#kind === 'postgres', (query) => query.forUpdate().skipLocked())
        .execute();
      const claimed = due.map(({ reference, created_at, check_pause_ms }) => {
        const ageMs = now - created_at;
        const next = plan(ageMs, check_pause_ms);
        const checkAt = next ? now + next.claimMs : NEVER;
        return { reference, ageMs, checkAt, pauseMs: next?.pauseMs ?? check_pause_ms };
      });
      for (const { reference, checkAt, pauseMs } of claimed)
        await trx
          .updateTable('service_pay_payments')
          .set({ check_at: checkAt, check_pause_ms: pauseMs })
          .where('reference', '=', reference)
          .execute();
      return claimed;
    });
  }

  /** Plans when a claimed payment is due next, unless news planned that since it was claimed. */
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
   * Stores a delivery once per body, and makes its payment due at `checkAt`, in case the confirm that
   * follows is lost. Returns false if it was stored before.
   */
  async storeDelivery(delivery: Delivery, checkAt: number): Promise<boolean> {
    const { reference, received_at } = delivery;
    return this.#write(async (trx) => {
      const isNew = await insertDelivery(trx, delivery);
      if (reference !== null)
        await askBy(trx, { reference, checkAt, pauseMs: checkAt - received_at });
      return isNew;
    });
  }

  async handleDeliveries(reference: string, now: number): Promise<void> {
    await this.#write((trx) => handleDeliveries(trx, reference, now));
  }

  /**
   * Returns whether the service may be asked about a payment now: once in `everyMs` over all
   * instances (D59). The only process of a file keeps to that by itself.
   */
  async claimAsk(reference: string, everyMs: number, now: number): Promise<boolean> {
    if (this.#kind === 'sqlite') return true;
    const { rows } = await sql`
      insert into service_pay_asks as asks (reference, asked_at) values (${reference}, ${now})
      on conflict (reference) do update set asked_at = excluded.asked_at
      where asks.asked_at not between ${now - everyMs + 1} and ${now + everyMs}
      returning reference`.execute(this.#db);
    return rows.length > 0;
  }

  /** Commits a row and its removal. Fails if the database takes no writes (T122). */
  async ping(): Promise<void> {
    const probe = { owner: 'readyz', key: randomUUID() };
    await this.#write(async (trx) => {
      await takeKey(trx, probe.owner, { ...probe, requestHash: '' }, '', 0);
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

async function takeKey(
  trx: Writer,
  owner: string,
  { key, requestHash }: Once,
  reference: string,
  now: number,
): Promise<boolean> {
  const taken = await trx
    .insertInto('service_pay_idempotency_keys')
    .values({ owner, key, request_hash: requestHash, reference, created_at: now })
    .onConflict((conflict) => conflict.doNothing())
    .returning('key')
    .executeTakeFirst();
  return taken !== undefined;
}

/** Stores a payment, due at once if a delivery came before it (T86), unless it is there already. */
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

async function insertDelivery(trx: Transaction<Tables>, delivery: Delivery): Promise<boolean> {
  const { reference, received_at } = delivery;
  const state = reference === null ? undefined : await findState(trx, reference);
  const isHandled = reference === null || state === 'paid' || state === 'refused';
  const stored = await trx
    .insertInto('service_pay_webhook_deliveries')
    .values({
      ...delivery,
      event: delivery.event.replaceAll('\u0000', '\ufffd'), // PostgreSQL stores no NUL
      handled_at: isHandled ? received_at : null,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst();
  return stored !== undefined;
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

function selectOrder(db: Kysely<Tables>, orderId: string) {
  return selectPayments(db)
    .where('order_id', '=', orderId)
    .orderBy('created_at')
    .orderBy('reference');
}

function selectOrdersOf(db: Kysely<Tables>, owner: string) {
  const rank = sql<number>`row_number() over (partition by order_id order by
    case state when 'paid' then 0 when 'needs-review' then 1 else 2 end,
    case when state in ('paid', 'needs-review') then created_at else -created_at end)`;
  const ranked = selectPayments(db).select(rank.as('rank')).where('owner', '=', owner);
  return db
    .selectFrom(ranked.as('ranked'))
    .select(['reference', 'orderId', 'owner', 'data', 'amount', 'currency'])
    .select(['state', 'reviewReason', 'createdAt'])
    .where('rank', '=', 1)
    .orderBy('createdAt', 'desc')
    .orderBy('reference', 'desc');
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
