import { createHash, randomBytes } from 'node:crypto';
import { REQUEST_RULES } from '@service-pay/contract/payment-request';
import type { PaymentRequest } from '@service-pay/contract/payment-request-schema';
import type { PaymentFeed } from '@service-pay/server/events/bus';
import { ApiError, envelope } from '@service-pay/server/express/errors';
import { limitOrders } from '@service-pay/server/express/rate-limits';
import { parseBody, parseReference, readJson } from '@service-pay/server/express/request-guards';
import type { Confirm } from '@service-pay/server/payments/confirm';
import type { Once } from '@service-pay/server/payments/key-queries';
import { findDecisive, type Order, type Payment } from '@service-pay/server/payments/payment';
import { FIRST_PAUSE_MS } from '@service-pay/server/payments/reconciler';
import type { ServiceAnswers } from '@service-pay/server/payments/service-answers';
import type { ShopStore } from '@service-pay/server/payments/store';
import type { InTime } from '@service-pay/server/payments/verify-deadline';
import type { Clock } from '@service-pay/server/support/clock';
import Big from 'big.js';
import { type Request, type RequestHandler, type Response, Router } from 'express';
import * as v from 'valibot';
import type { BrowserCookie } from './browser-cookie.ts';
import type { Cart, OrderLine } from './cart.ts';
import type { CatalogueItem } from './catalogue.ts';

const MOST_LINES = 50;
const MOST_OF_ONE = 99;
/** What a key begins with: the milliseconds since 1970 have so many digits until 2059. */
const TIME_BASE = 36;
const TIME_DIGITS = 8;

/** What nobody can guess of a key. */
const RANDOM_BYTES = 12;

/**
 * How long the service lets a customer begin to pay (D37). A payment that nobody tried to pay in
 * that time makes room for another.
 */
const SESSION_MS = 30 * 60_000;

/** Why an order gets no further payment. */
const NO_MORE_PAYMENTS = {
  paid: 'This order is paid already. There is nothing more to pay.',
  'in-review': 'A payment of this order arrived and the shop is looking at it. Do not pay again.',
  'too-many': 'This order was tried too often. Place a new one.',
} as const;

/** Why there is none for the moment. */
const MAYBE_PAID =
  'The shop cannot learn right now whether you have paid this order already. No new payment was begun: try again in a moment.';

export interface OrderRoutesDeps {
  store: ShopStore;
  confirm: Confirm;
  inTime: InTime;
  answers: ServiceAnswers;
  feed: PaymentFeed;
  catalogue: ReadonlyMap<string, CatalogueItem>;
  cookie: BrowserCookie;
  /** Limits requests that only ask. */
  limit: RequestHandler;
  publicKey: string;
  clock: Clock;
}

const textSchema = v.optional(
  v.pipe(v.string(), v.maxLength(120, 'must be at most 120 characters')),
);

const orderSchema = v.object({
  items: v.pipe(
    v.array(
      v.object({
        sku: v.pipe(v.string(), v.maxLength(64, 'must be one of the catalogue')),
        quantity: v.pipe(
          v.number(),
          v.integer(`must be a whole number from 1 to ${MOST_OF_ONE}`),
          v.minValue(1, `must be a whole number from 1 to ${MOST_OF_ONE}`),
          v.maxValue(MOST_OF_ONE, `must be a whole number from 1 to ${MOST_OF_ONE}`),
        ),
      }),
    ),
    v.minLength(1, 'must name at least one item'),
    v.maxLength(MOST_LINES, `must have at most ${MOST_LINES} lines`),
  ),
  customer: v.object({
    email: v.pipe(
      v.string(),
      v.regex(REQUEST_RULES.email.pattern, `must be ${REQUEST_RULES.email.expected}`),
    ),
    firstName: textSchema,
    lastName: textSchema,
    phone: textSchema,
  }),
});

type OrderBody = v.InferOutput<typeof orderSchema>;

/** What is ordered, at the server's prices. */
interface Goods {
  lines: OrderLine[];
  amount: string;
  currency: string;
}

const idempotencyKeySchema = v.optional(v.pipe(v.string(), v.regex(/^[!-~]{1,255}$/)));

/** Catalogue, orders, and new payments of an order. All prices are the server's. */
export function buildOrderRoutes(deps: OrderRoutesDeps): Router {
  const { store, confirm, inTime, answers, feed, catalogue, cookie, limit, publicKey, clock } =
    deps;
  const router = Router({ caseSensitive: true, strict: true });
  const limitMakers = limitOrders();

  router.get('/api/catalogue', (_req, res) => {
    const data = [...catalogue.values()];
    res.json({
      ...envelope(data),
      meta: {
        total: data.length,
        perPage: Math.max(data.length, 1),
        currentPage: 1,
        pageCount: data.length ? 1 : 0,
      },
    });
  });

  /**
   * Makes an order and its first payment; answers the options for `getPaid`. With an
   * `Idempotency-Key` that was used before, it answers the order of then (T67) with its newest
   * payment.
   */
  router.post('/api/orders', limitMakers, ...readJson, async (req, res) => {
    const reference = await place(req, res);
    if (!reference)
      throw new ApiError(
        'reference_used',
        'This Idempotency-Key came with another order before: take a new one.',
      );
    const placed = await store.findPayment(reference);
    const payment = placed && findDecisive(await store.findPaymentsOfOrder(placed.orderId));
    if (!payment) throw new Error('An order was stored and is not there.');
    res.status(201).json(envelope(paymentOptions(payment)));
  });

  /**
   * Answers the options for `getPaid` of this browser's newest payment that can still be paid, or
   * null.
   */
  router.get('/api/orders/open', limit, async (req, res) => {
    const owner = cookie.find(req);
    const open = owner && (await store.findOpenPaymentOf(owner));
    res.json(envelope(open ? paymentOptions(open) : null));
  });

  /**
   * Answers the options for `getPaid` that pay an order which is not paid: 200 with those of its
   * open payment, or 201 with those of a new one once the service says that the last one failed, or
   * nobody tried to pay it for 30 minutes. Asks about every payment of the order first. Fails with
   * `reference_used` (400, code 04) when the order is paid, and with `not_known_yet` (503, code 10)
   * when it may be and the service cannot be asked (D52).
   */
  router.post('/api/payments/:reference/retry', limitMakers, async (req, res) => {
    const { orderId } = await findOwnPayment(
      store,
      cookie.find(req),
      parseReference(req.params.reference),
    );
    const earlier = await store.findPaymentsOfOrder(orderId);
    if (!isDecided(earlier))
      await Promise.all([
        askWhetherPaid(earlier.filter(isAwaiting)),
        lookAt(earlier.filter((one) => !isAwaiting(one))),
      ]);
    const payments = await store.findPaymentsOfOrder(orderId);
    const open = isDecided(payments) ? undefined : payments.findLast(isOpen);
    if (open) return void res.json(envelope(paymentOptions(open)));

    const now = clock.now();
    const reference = newReference(now);
    const added = await store.addPayment(
      orderId,
      reference,
      now + FIRST_PAUSE_MS,
      now,
      now - SESSION_MS,
    );
    if (added !== 'added' && added !== 'open')
      throw new ApiError('reference_used', NO_MORE_PAYMENTS[added]);
    // pages that follow an earlier payment follow the order
    for (const payment of payments) feed.tell(payment.reference);
    const [newest] = (await store.findPaymentsOfOrder(orderId)).slice(-1);
    if (!newest) throw new Error('A payment was stored and is not there.');
    res.status(added === 'added' ? 201 : 200).json(envelope(paymentOptions(newest)));
  });

  return router;

  /**
   * Gives the reference of a new order's payment, or of the one that its key came with before;
   * undefined where that was another order.
   */
  async function place(req: Request, res: Response): Promise<string | undefined> {
    const body = parseBody(orderSchema, req.body);
    const once = readOnce(req.headers['idempotency-key'], body);
    let goods: Goods;
    try {
      goods = priceGoods(body.items, catalogue);
    } catch (refusal) {
      // What was ordered once may be sold no more: the same request is answered as before all the
      // same.
      const owner = cookie.find(req);
      const earlier = once && owner && (await store.findKeyUse(owner, once));
      if (!earlier) throw refusal;
      return earlier.isSameRequest ? earlier.reference : undefined;
    }
    const now = clock.now();
    const { lines, amount, currency } = goods;
    const order: Order<Cart> = {
      id: newKey(now),
      owner: cookie.ensure(req, res),
      data: { customer: body.customer, lines },
      amount,
      currency,
    };
    return store.placeOrder(order, newReference(now), now + FIRST_PAUSE_MS, now, once);
  }

  async function askWhetherPaid(payments: readonly Payment[]): Promise<void> {
    if (payments.length)
      await inTime(
        () => Promise.all(payments.map((one) => confirm(one.reference, 'success', one))),
        MAYBE_PAID,
      );
  }

  /**
   * Those that are over for their customer hold up nobody: should one be paid late, a person sees
   * it.
   */
  async function lookAt(payments: readonly Payment[]): Promise<void> {
    if (!payments.length) return;
    const looks = () =>
      Promise.allSettled(payments.map((one) => confirm(one.reference, 'look', one)));
    await inTime(looks).catch(() => {});
  }

  /**
   * Returns whether a payment may still be paid. One that nobody has tried to pay in 30 minutes is
   * left alone.
   */
  function isOpen(payment: Payment): boolean {
    const isLeft =
      answers.isUntried(payment.reference) && clock.now() - payment.createdAt > SESSION_MS;
    return isAwaiting(payment) && !isLeft;
  }

  /** Returns the options `getPaid` takes, without the callbacks (specification 2.1). */
  function paymentOptions({ reference, amount, currency, data }: Payment): PaymentRequest {
    const { customer, lines } = data as Cart;
    const { email, ...names } = customer;
    const label = lines.length === 1 ? lines[0]?.name : `${lines.length} items`;
    return {
      key: publicKey,
      email,
      reference,
      amount,
      currency,
      ...(label && { label }),
      ...(Object.keys(names).length && {
        customer: names as NonNullable<PaymentRequest['customer']>,
      }),
    };
  }
}

/** Returns whether an order is paid, or a person looks at money that came for it. */
function isDecided(payments: readonly Payment[]): boolean {
  return payments.some(({ state }) => state === 'paid' || state === 'needs-review');
}

function isAwaiting({ state }: Payment): boolean {
  return state === 'awaiting-payment';
}

/**
 * The payment, if this browser made its order. Else `404·11`, in the same words whether it exists
 * or not (T69).
 */
export async function findOwnPayment(
  store: ShopStore,
  owner: string | undefined,
  reference: string,
) {
  const payment = owner && (await store.findPaymentOf(owner, reference));
  if (!payment)
    throw new ApiError('order_not_found', 'This browser made no order with that reference.');
  return payment;
}

/** The same body under the same key is the same order (T67). */
function readOnce(key: unknown, body: OrderBody): Once | undefined {
  if (!v.is(idempotencyKeySchema, key)) {
    const message = 'Idempotency-Key must be 1 to 255 visible characters without blanks.';
    throw new ApiError('invalid_request', message, {
      problems: [{ path: 'Idempotency-Key', code: 'regex', message }],
    });
  }
  return key === undefined
    ? undefined
    : { key, requestHash: createHash('sha256').update(JSON.stringify(body)).digest('hex') };
}

function priceGoods(
  items: OrderBody['items'],
  catalogue: ReadonlyMap<string, CatalogueItem>,
): Goods {
  const lines = items.map(({ sku, quantity }, at) => priceLine(catalogue.get(sku), quantity, at));
  return {
    lines,
    amount: lines
      .reduce((sum, line) => sum.plus(Big(line.price).times(line.quantity)), Big(0))
      .toFixed(2),
    currency: currencyOf(lines, catalogue),
  };
}

function priceLine(item: CatalogueItem | undefined, quantity: number, at: number): OrderLine {
  if (item) return { sku: item.sku, name: item.name, quantity, price: item.price };
  const path = `items.${at}.sku`;
  const message = `${path} must be one of the catalogue.`;
  throw new ApiError('invalid_request', message, {
    problems: [{ path, code: 'unknown', message }],
  });
}

function currencyOf(lines: OrderLine[], catalogue: ReadonlyMap<string, CatalogueItem>): string {
  const [currency, ...others] = new Set(lines.map((line) => catalogue.get(line.sku)?.currency));
  if (currency && !others.length) return currency;
  const message = 'items must all be priced in one currency.';
  throw new ApiError('invalid_request', message, {
    problems: [{ path: 'items', code: 'currency', message }],
  });
}

/** Unguessable, and easy to tell from references of other systems. */
function newReference(now: number): string {
  return `shop-${newKey(now)}`;
}

/**
 * Keys of one time lie side by side in the database's indexes: among a million others, what is new
 * stands on a few pages that are at hand.
 */
function newKey(now: number): string {
  return (
    now.toString(TIME_BASE).padStart(TIME_DIGITS, '0') +
    randomBytes(RANDOM_BYTES).toString('base64url')
  );
}
