import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Database, Writer } from '../database/database.ts';
import { IS_POLLED, type PaymentState, type Tables } from '../database/schema.ts';
import { MAY_BECOME_PAID, PAID_BEFORE } from './decide.ts';
import { type ByPerson, recordDecision } from './decisions.ts';
import { findKeyUse, type Once, takeKey } from './keys.ts';
import type { PaidDetails } from './paid-details.ts';
import { isOpen, type Order, type Payment } from './payment.ts';

/** Stops a page that retries endlessly. */
const MOST_PAYMENTS_PER_ORDER = 20;

type Delivery = Omit<Tables['service_pay_webhook_deliveries'], 'handled_at'>;

interface Change extends Partial<PaidDetails> {
  from: readonly PaymentState[];
  to: PaymentState;
  reason?: string | undefined;
  movedAt?: number | undefined;
}

/** When the service is called about a payment first, and the time of this write. */
interface Planned {
  readonly checkAt: number;
  readonly now: number;
}

/**
 * The statements on payments and their deliveries. Conditional writes and locks settle races, never
 * a read before the write.
 */
export class PaymentStore {
  readonly #db: Kysely<Tables>;
  readonly #write: Database['write'];
  readonly #isPostgres: boolean;

  constructor(database: Database) {
    this.#db = database.db;
    this.#write = database.write;
    this.#isPostgres = database.kind === 'postgres';
  }

  /**
   * Stores an order with its first payment, and returns its reference. With a key that this owner
   * used before, stores nothing and returns the earlier reference, or undefined if the key came
   * with another request (T67).
   */
  async placeOrder(
    order: Order,
    reference: string,
    planned: Planned,
    once?: Once,
    transaction?: Writer,
  ): Promise<string | undefined> {
    const { owner } = order;
    const { now } = planned;
    const place = async (trx: Writer) => {
      if (once && !(await takeKey(trx, { ...once, owner, reference, now })))
        return (await findKeyUse(trx, owner, once))?.reference;
      await insertPayment(trx, order, reference, planned);
      return reference;
    };
    return transaction ? place(transaction) : this.#write(place);
  }

  /**
   * Reopens the newest open payment of an order, or adds one under `reference`. Otherwise returns
   * why the order takes no more: it is paid, may turn out to be, or had too many payments.
   */
  async addPayment(
    orderId: string,
    { reference, checkAt, now }: Planned & { reference: string },
    isOpen: (payment: Payment) => boolean = () => false,
  ): Promise<Payment | 'paid' | 'in-review' | 'too-many'> {
    return this.#write(async (trx) => {
      // Two tabs that retry at the same moment get one payment, because the second waits here.
      // Locks the oldest first, so that a waiting tab holds no newer row that the first one
      // updates.
      if (this.#isPostgres)
        await sql`select 1 from service_pay_payments where order_id = ${orderId}
          order by created_at for update`.execute(trx);
      const payments = await this.findPaymentsOfOrder(orderId, trx);
      const isIn = (state: PaymentState) => payments.some((one) => one.state === state);
      if (isIn('paid')) return 'paid';
      if (isIn('needs-review')) return 'in-review';
      const open = payments.findLast(isOpen);
      if (open) return reopen(trx, open, { checkAt, now });
      const newest = payments.at(-1);
      if (!newest || payments.length >= MOST_PAYMENTS_PER_ORDER) return 'too-many';
      // another instance's clock may be ahead, and the latest payment must have the newest time
      const createdAt = Math.max(now, newest.createdAt + 1);
      const order = { ...newest, id: orderId };
      await insertPayment(trx, order, reference, {
        checkAt: checkAt + createdAt - now,
        now: createdAt,
      });
      const state = 'awaiting-payment';
      return { ...newest, reference, state, reason: null, createdAt, movedAt: createdAt };
    });
  }

  /** Reopens a payment if it is open: see `addPayment`. */
  async reopen(payment: Payment, planned: Planned, transaction?: Writer) {
    const open = (trx: Writer) => reopen(trx, payment, planned);
    if (!isOpen(payment)) return payment;
    return transaction ? open(transaction) : this.#write(open);
  }

  async findPayment(reference: string, db?: Writer): Promise<Payment | undefined> {
    return (await this.#find(sql`where reference = ${reference}`, db))[0];
  }

  /** Finds all payments of a payment's order, oldest first. */
  async findSiblings(reference: string, db?: Writer): Promise<Payment[]> {
    const orderId = sql`(select order_id from service_pay_payments where reference = ${reference})`;
    return this.#find(sql`where order_id = ${orderId} order by created_at, reference`, db);
  }

  async findPaymentsOfOrder(orderId: string, db?: Writer): Promise<Payment[]> {
    return this.#find(sql`where order_id = ${orderId} order by created_at, reference`, db);
  }

  async findPaymentsIn(state: PaymentState, limit: number): Promise<Payment[]> {
    return this.#find(sql`where state = ${state} order by created_at desc limit ${limit}`);
  }

  /** Finds the newest payment opened at or after `since` that an owner may still pay (D61). */
  async findOpenPaymentOf(owner: string, since: number): Promise<Payment | undefined> {
    const isOpen = sql`and state in ('awaiting-payment', 'expired') and moved_at >= ${since}`;
    return (await this.#findOrders(owner, isOpen, 1))[0];
  }

  async findOrdersOf(owner: string, limit: number): Promise<Payment[]> {
    return this.#findOrders(owner, sql``, limit);
  }

  /**
   * Marks the order as paid, or sends a second payment to review. Returns undefined if its state
   * may not become paid.
   */
  async markPaid(
    reference: string,
    now: number,
    paid?: PaidDetails,
  ): Promise<'paid' | 'needs-review' | undefined> {
    return this.#write(async (trx) => {
      const isPaid = await change(trx, reference, now, {
        from: MAY_BECOME_PAID,
        to: 'paid',
        reason: '',
        ...paid,
      });
      if (!isPaid) return undefined;
      if (await this.#beginFulfilment(trx, reference, now)) return 'paid';
      const again = { from: ['paid'], to: 'needs-review', reason: PAID_BEFORE } as const;
      await change(trx, reference, now, again);
      return 'needs-review';
    });
  }

  /** Marks a payment as paid by a person's decision (D51), also a second one of its order. */
  async accept({ reference, who, now }: ByPerson): Promise<boolean> {
    return this.#write(async (trx) => {
      const isAccepted = await change(trx, reference, now, { from: ['needs-review'], to: 'paid' });
      if (!isAccepted) return false;
      await this.#beginFulfilment(trx, reference, now);
      await recordDecision(trx, { reference, decision: 'accept', who, decided_at: now });
      return true;
    });
  }

  /** Rejects a payment by a person's decision (D51). */
  async refuse({ reference, who, now }: ByPerson): Promise<boolean> {
    return this.#write(async (trx) => {
      const isMoved = await change(trx, reference, now, {
        from: ['needs-review'],
        to: 'refused',
      });
      if (!isMoved) return false;
      await handleDeliveries(reference, now).execute(trx);
      await recordDecision(trx, { reference, decision: 'refuse', who, decided_at: now });
      return true;
    });
  }

  /** Returns false if the payment was in another state, or was reopened after `movedAt`. */
  async move(
    reference: string,
    { now, ...move }: Change & { to: Exclude<PaymentState, 'paid'>; now: number },
  ): Promise<boolean> {
    return this.#write(async (trx) => {
      const isMoved = await change(trx, reference, now, move);
      if (isMoved && move.to !== 'awaiting-payment')
        await handleDeliveries(reference, now).execute(trx);
      return isMoved;
    });
  }

  /**
   * Stores a delivery once per body, and returns false for a duplicate. Makes its payment due at
   * `checkAt` at the latest, in case the following confirm is lost, and restarts its pauses.
   */
  async storeDelivery(
    { id, event, reference, body, received_at }: Delivery,
    checkAt: number,
  ): Promise<boolean> {
    const pauseMs = checkAt - received_at;
    const text = event.replaceAll('\u0000', '\ufffd'); // PostgreSQL stores no NUL
    return this.#write(async (trx) => {
      // `planPoll` of the current claimer matches its time, so an earlier one is moved by 1 ms
      await sql`
        update service_pay_payments set check_pause_ms = ${pauseMs},
          check_at = case when check_at > ${checkAt} then ${checkAt} else check_at - 1 end
        where reference = ${reference} and ${IS_POLLED}
          and (check_at > ${checkAt} or check_pause_ms > ${pauseMs})`.execute(trx);
      const { rows } = await sql`
        insert into service_pay_webhook_deliveries
          (id, event, reference, body, received_at, handled_at)
        values (${id}, ${text}, ${reference}, ${body}, ${received_at},
          case when cast(${reference} as text) is null or exists (
            select 1 from service_pay_payments
            where reference = ${reference} and not (${IS_POLLED}))
          then cast(${received_at} as bigint) end)
        on conflict do nothing returning id`.execute(trx);
      return rows.length > 0;
    });
  }

  async handleDeliveries(reference: string, now: number): Promise<void> {
    await this.#write((trx) => handleDeliveries(reference, now).execute(trx));
  }

  /**
   * Marks the deliveries of a paid payment as handled and adds the order's only fulfilment, on
   * PostgreSQL in one statement. Returns false if another payment of the order has a fulfilment.
   */
  async #beginFulfilment(trx: Writer, reference: string, now: number): Promise<boolean> {
    const handle = handleDeliveries(reference, now);
    if (!this.#isPostgres) await handle.execute(trx);
    const { numAffectedRows } = await sql`
      ${this.#isPostgres ? sql`with handled as (${handle})` : sql``}
      insert into service_pay_fulfilments
        (order_id, reference, state, attempts, due_at, lease_version, lease_until, created_at)
      select order_id, reference, 'waiting', 0, moved_at, 0, 0, moved_at
      from service_pay_payments where reference = ${reference}
      on conflict (order_id) do nothing`.execute(trx);
    return numAffectedRows === 1n;
  }

  async #find(
    where: RawBuilder<unknown>,
    db: Writer = this.#db,
    from: RawBuilder<unknown> = sql`service_pay_payments`,
  ): Promise<Payment[]> {
    const { rows } = await sql<
      Omit<Payment, 'data' | 'paidWith'> & Record<'data' | 'paidWith', string>
    >`
      select reference, order_id as "orderId", owner, data, amount, currency, state,
        review_reason as reason, created_at as "createdAt", moved_at as "movedAt",
        paid_at as "paidAt", paid_with as "paidWith"
      from ${from} ${where}`.execute(db);
    return rows.map((row) => ({
      ...row,
      data: JSON.parse(row.data),
      // the application's own connection may return large numbers as text
      createdAt: Number(row.createdAt),
      movedAt: Number(row.movedAt),
      paidAt: row.paidAt === null ? null : Number(row.paidAt),
      paidWith: JSON.parse(row.paidWith ?? 'null'),
    }));
  }

  /** Finds an owner's orders, newest first, each as the payment that `findDecisive` returns. */
  #findOrders(owner: string, which: RawBuilder<unknown>, limit: number): Promise<Payment[]> {
    const ranked = sql`(select *, row_number() over (partition by order_id order by
      case state when 'paid' then 0 when 'needs-review' then 1 else 2 end,
      case when state in ('paid', 'needs-review') then created_at else -created_at end) as rank
      from service_pay_payments where owner = ${owner}) as ranked`;
    const where = sql`where rank = 1 ${which} order by created_at desc, reference desc limit ${limit}`;
    return this.#find(where, this.#db, ranked);
  }
}

async function insertPayment(
  trx: Writer,
  { id, owner, data, amount, currency }: Order,
  reference: string,
  { checkAt, now }: Planned,
): Promise<void> {
  await sql`
    insert into service_pay_payments (reference, order_id, owner, data, amount, currency, state,
      created_at, moved_at, check_at, check_pause_ms)
    values (${reference}, ${id}, ${owner}, ${JSON.stringify(data)}, ${amount}, ${currency},
      'awaiting-payment', ${now}, ${now}, ${checkAt}, ${checkAt - now})
    on conflict do nothing`.execute(trx);
}

/**
 * Restarts the polling of a payment as if it were new, because its customer is about to pay it.
 * Leaves one that has just ended.
 */
async function reopen(trx: Writer, payment: Payment, { checkAt, now }: Planned): Promise<Payment> {
  const state = 'awaiting-payment';
  await sql`update service_pay_payments set state = ${state}, moved_at = ${now},
      check_at = ${checkAt}, check_pause_ms = ${checkAt - now}
    where reference = ${payment.reference}
      and state in ('awaiting-payment', 'expired')`.execute(trx);
  return { ...payment, state, movedAt: now };
}

/**
 * Moves a payment out of one of these states, unless it was reopened after `movedAt`. Keeps its
 * reason unless another is given. Returns whether it moved.
 */
async function change(
  trx: Writer,
  reference: string,
  now: number,
  { from, to, reason, movedAt, paidAt, paidWith }: Change,
): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('service_pay_payments')
    .set({
      state: to,
      moved_at: now,
      ...(reason !== undefined && { review_reason: reason || null }),
      ...(paidAt !== undefined && { paid_at: paidAt }),
      ...(paidWith !== undefined && { paid_with: paidWith && JSON.stringify(paidWith) }),
    })
    .where('reference', '=', reference)
    .where('state', 'in', from)
    .$if(movedAt !== undefined, (update) => update.where('moved_at', '=', movedAt!))
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

function handleDeliveries(reference: string, now: number): RawBuilder<unknown> {
  return sql`update service_pay_webhook_deliveries set handled_at = ${now}
    where reference = ${reference} and handled_at is null`;
}
