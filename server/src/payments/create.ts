import { createHash, randomBytes } from 'node:crypto';
import { currencySchema, toDecimal } from '@service-pay/contract/money';
import * as v from 'valibot';

import { PaymentsError, rejectProblems } from '../errors.ts';
import { findDecisive, type Payment } from './payment.ts';
import { FIRST_PAUSE_MS } from './reconciler.ts';
import { REFERENCE_PREFIX } from './reference.ts';
import type { Once, PaymentStore, Writer } from './store.ts';

const KEY_PATTERN = /^[!-~]{1,255}$/;

/** PostgreSQL indexes at most 2,704 bytes of owner and key together. */
const LONGEST_OWNER_BYTES = 2_000;

/** An order to be paid. Amounts are decimal text with two digits, such as `'92.50'`. */
export interface NewOrder<Data> {
  amount: string;
  currency: string;
  /** The id of the browser or the account, up to 2,000 bytes. No other owner can see the order. */
  owner: string;
  /** The shop's own data, stored as JSON and passed to `fulfil`. */
  data: Data;
  /**
   * The same key of the same owner returns the same order for 30 days. 1 to 255 visible characters
   * without spaces.
   */
  idempotencyKey?: string | null | undefined;
  /** The part that must be equal under the same key: amount, currency and data by default. */
  request?: unknown;
}

export async function createOrder<Data>(
  order: NewOrder<Data>,
  store: PaymentStore,
  now: number,
  transaction?: Writer,
): Promise<{ payment: Payment<Data>; isNew: boolean }> {
  const { currency, owner, data } = order;
  const amount = toDecimal(order.amount) ?? '';
  rejectProblems({
    amount: !amount && 'must be a decimal text above 0, such as "92.50".',
    currency: !v.is(currencySchema, currency) && 'must be three capital letters, such as "ZMW".',
    owner: findOwnerProblem(owner),
    data: !isJson(data) && 'must be JSON: fulfil gets it back.',
  });
  const id = newReference(now);
  const placed = { id, owner, data, amount, currency };
  const once = readOnce(order);
  const checkAt = now + FIRST_PAUSE_MS;
  const stored = await store.placeOrder(placed, id, checkAt, now, once, transaction);
  const payment = await findStored(stored, store, transaction);
  const isNew = stored === id;
  const opened = isNew ? payment : await store.reopen(payment, checkAt, now, transaction);
  return { payment: opened as Payment<Data>, isNew };
}

/** Finds the order created under a key, and reopens its payment like `createOrder`. */
export async function findByIdempotencyKey<Data>(
  order: Pick<NewOrder<Data>, 'owner' | 'idempotencyKey' | 'request'>,
  store: PaymentStore,
  now: number,
): Promise<Payment<Data> | undefined> {
  rejectProblems({ owner: findOwnerProblem(order.owner) });
  const once = readOnce(order);
  const use = once && (await store.findKeyUse(order.owner, once));
  if (!use) return undefined;
  const payment = await findStored(use.reference, store);
  return (await store.reopen(payment, now + FIRST_PAUSE_MS, now)) as Payment<Data>;
}

/** Returns the problem with an owner that a database could not store unchanged, or false. */
export function findOwnerProblem(owner: unknown): string | false {
  const isUsable =
    typeof owner === 'string' &&
    /^[^\0]+$/.test(owner) &&
    owner.isWellFormed() &&
    Buffer.byteLength(owner) <= LONGEST_OWNER_BYTES;
  return (
    !isUsable &&
    'must be a text of 1 to 2,000 bytes that names the customer, without NUL and lone surrogates.'
  );
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
  rejectProblems({
    'Idempotency-Key':
      !KEY_PATTERN.test(key) && 'must be 1 to 255 visible characters without blanks.',
    request: request !== undefined && !isJson(request) && 'must be JSON.',
  });
  const same = JSON.stringify(request ?? { amount, currency, data });
  return { key, requestHash: createHash('sha256').update(same).digest('hex') };
}

function isJson(value: unknown): boolean {
  try {
    return JSON.stringify(value) !== undefined;
  } catch {
    return false;
  }
}
