import { createHash, randomBytes } from 'node:crypto';
import { toCanonicalJson } from '@service-pay/contract/canonical-json';
import { toDecimal } from '@service-pay/contract/money';

import type { Writer } from '../database/database.ts';
import { PaymentsError, rejectProblems } from '../errors.ts';
import { findKeyUse, type Once } from './keys.ts';
import {
  findAmountProblem,
  findCurrencyProblem,
  findJsonProblem,
  findKeyProblem,
  findOwnerProblem,
} from './order-problems.ts';
import { findDecisive, type Payment } from './payment.ts';
import { FIRST_PAUSE_MS } from './reconciler.ts';
import { REFERENCE_PREFIX } from './reference.ts';
import type { PaymentStore } from './store.ts';

/** An order to be paid. */
export interface NewOrder<Data> {
  /** A decimal text such as `'92.50'`, with as many decimals as the currency may have. */
  amount: string;
  currency: string;
  /** The id of the browser or the account, up to 2,000 bytes. No other owner can see the order. */
  owner: string;
  /** The shop's own data, stored as JSON of at most 1 MB and passed to `fulfil`. */
  data: Data;
  /**
   * The same key of the same owner returns the same order for 30 days. 1 to 255 visible characters
   * without spaces.
   */
  idempotencyKey?: string | null | undefined;
  /**
   * The part that must be equal under the same key, at most 1 MB of JSON: amount, currency and data
   * by default. The order of fields does not matter.
   */
  request?: unknown;
}

export async function createOrder<Data>(
  order: NewOrder<Data>,
  store: PaymentStore,
  now: number,
  transaction?: Writer,
): Promise<{ payment: Payment<Data>; isNew: boolean }> {
  const { currency, owner, data } = order;
  rejectProblems({
    amount: findAmountProblem(order.amount, currency),
    currency: findCurrencyProblem(currency),
    owner: findOwnerProblem(owner),
    data: findJsonProblem(data, 'data'),
  });
  const amount = toDecimal(order.amount)!;
  const reference = newReference(now);
  // the first reference of an order is its id
  const placed = { id: reference, owner, data, amount, currency };
  const once = readOnce(order);
  const checkAt = now + FIRST_PAUSE_MS;
  const stored = await store.placeOrder(placed, reference, { checkAt, now }, once, transaction);
  const payment = await findStored(stored, store, transaction);
  const isNew = stored === reference;
  const opened = isNew ? payment : await store.reopen(payment, { checkAt, now }, transaction);
  return { payment: opened as Payment<Data>, isNew };
}

/** A key, and what came with it: the request, or of an order created without one what it was. */
export type UsedKey<Data> = Pick<NewOrder<Data>, 'owner' | 'idempotencyKey' | 'request'> &
  Partial<Pick<NewOrder<Data>, 'amount' | 'currency' | 'data'>>;

/** Finds the order created under a key, and reopens its payment like `createOrder`. */
export async function findByIdempotencyKey<Data>(
  order: UsedKey<Data>,
  { store, db, now }: { store: PaymentStore; db: Writer; now: number },
): Promise<Payment<Data> | undefined> {
  const isKnown = order.request !== undefined || order.amount !== undefined;
  rejectProblems({
    owner: findOwnerProblem(order.owner),
    request: !isKnown && 'must be given, or amount, currency and data of an order without one.',
  });
  const once = readOnce(order);
  const use = once && (await findKeyUse(db, order.owner, once));
  if (!use) return undefined;
  const payment = await findStored(use.reference, store);
  return (await store.reopen(payment, { checkAt: now + FIRST_PAUSE_MS, now })) as Payment<Data>;
}

async function findStored(
  reference: string | undefined,
  store: PaymentStore,
  transaction?: Writer,
): Promise<Payment> {
  if (reference === undefined)
    throw new PaymentsError(
      'reference_used',
      'This Idempotency-Key was already used with another order. Send the same order again, or a new key for another one.',
    );
  const payment = findDecisive(await store.findSiblings(reference, transaction));
  if (!payment) throw new Error('An order was stored but cannot be found.');
  return payment;
}

/**
 * Returns a reference that cannot be guessed. It begins with the time, so that new ones are close
 * together in an index.
 */
export function newReference(now: number): string {
  const time = now.toString(36).padStart(8, '0');
  return `${REFERENCE_PREFIX}${time}${randomBytes(12).toString('base64url')}`;
}

function readOnce(order: Partial<NewOrder<unknown>>): Once | undefined {
  const { idempotencyKey: key, request, amount, currency, data } = order;
  if (key === undefined || key === null) return undefined;
  const isGiven = request !== undefined;
  rejectProblems({
    [typeof key === 'string' ? 'Idempotency-Key' : 'idempotencyKey']: findKeyProblem(key),
    request: isGiven && findJsonProblem(request, 'request'),
  });
  const same = request ?? { amount: toDecimal(amount), currency, data };
  const written = toCanonicalJson(same, 'request');
  // as older versions wrote it
  const asWritten = JSON.stringify(request ?? { amount, currency, data });
  return { key, requestHash: hash(`${written}`), olderHash: hash(asWritten) };
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
