import { createHash, randomBytes } from 'node:crypto';

import { PaymentsError } from '../errors.ts';
import type { Clock } from '../support/clock.ts';
import type { Once } from './key-queries.ts';
import { findDecisive, type Payment } from './payment.ts';
import { FIRST_PAUSE_MS } from './reconciler.ts';
import type { ShopStore, Writer } from './store.ts';

/** A key begins with the milliseconds since 1970, which have so many digits until 2059. */
const TIME_BASE = 36;
const TIME_DIGITS = 8;

/** The part of a key that nobody can guess. */
const RANDOM_BYTES = 12;

const KEY_PATTERN = /^[!-~]{1,255}$/;

/** An order to be paid. Amounts are decimal text with two digits, such as `'92.50'`. */
export interface NewOrder<Data> {
  amount: string;
  currency: string;
  /** Whose order it is: the browser's id or the account's. Nobody else learns of it. */
  owner: string;
  /** Whatever the shop keeps with the order, as JSON. `fulfil` gets it back. */
  data: Data;
  /**
   * The same key of the same owner gives the same order for 24 hours: 1 to 255 visible characters
   * without blanks.
   */
  idempotencyKey?: string | undefined;
  /** What must be the same under the same key. Amount, currency and data by default. */
  request?: unknown;
}

/** Creates orders, each with its first payment, and finds those that a key made before. */
export class Orders {
  readonly #store: ShopStore;
  readonly #clock: Clock;

  constructor(store: ShopStore, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /**
   * Stores an order, in the caller's own transaction if one is given. With a key that was used
   * before, returns the order of then. Fails with `reference_used` if the key came with another
   * request.
   */
  async create<Data>(order: NewOrder<Data>, transaction?: Writer): Promise<Payment<Data>> {
    const { amount, currency, owner, data } = order;
    const now = this.#clock.now();
    const reference = newReference(now);
    const placed = { id: reference, owner, data, amount, currency };
    const stored = await this.#store.placeOrder(
      placed,
      reference,
      now + FIRST_PAUSE_MS,
      now,
      readOnce(order),
      transaction,
    );
    if (stored === reference)
      return {
        reference,
        orderId: reference,
        owner,
        data,
        amount,
        currency,
        state: 'awaiting-payment',
        reviewReason: null,
        createdAt: now,
      };
    return this.#findDecisive<Data>(stored, transaction);
  }

  /** Finds the order that a key made, or undefined. Fails like `create`. */
  async findMade<Data>(
    order: Pick<NewOrder<Data>, 'owner' | 'idempotencyKey' | 'request'>,
  ): Promise<Payment<Data> | undefined> {
    const once = readOnce(order);
    const use = once && (await this.#store.findKeyUse(order.owner, once));
    return use && this.#findDecisive<Data>(use.isSameRequest ? use.reference : undefined);
  }

  async #findDecisive<Data>(
    reference: string | undefined,
    transaction?: Writer,
  ): Promise<Payment<Data>> {
    if (!reference)
      throw new PaymentsError(
        'reference_used',
        'This Idempotency-Key came with another order before: take a new one.',
      );
    const payments = await this.#store.findOrderOf(reference, transaction);
    const payment = findDecisive(payments);
    if (!payment) throw new Error('An order was stored and is not there.');
    return payment as Payment<Data>;
  }
}

/** Makes a reference that nobody can guess, and that is easy to tell from those of other systems. */
export function newReference(now: number): string {
  // Keys of one time lie side by side in the database's indexes.
  const time = now.toString(TIME_BASE).padStart(TIME_DIGITS, '0');
  return `shop-${time}${randomBytes(RANDOM_BYTES).toString('base64url')}`;
}

function readOnce({
  idempotencyKey: key,
  request,
  ...order
}: Partial<NewOrder<unknown>>): Once | undefined {
  if (key === undefined) return undefined;
  if (!KEY_PATTERN.test(key)) {
    const message = 'Idempotency-Key must be 1 to 255 visible characters without blanks.';
    const problems = [{ path: 'Idempotency-Key', code: 'regex', message }];
    throw new PaymentsError('invalid_request', message, { problems });
  }
  const { amount, currency, data } = order;
  const same = JSON.stringify(request ?? { amount, currency, data });
  return { key, requestHash: createHash('sha256').update(same).digest('hex') };
}
