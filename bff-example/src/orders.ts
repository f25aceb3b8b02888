import type { PaymentRequest } from '@service-pay/contract/payment-request-schema';
import { envelope, type Payment, type Payments, PaymentsError } from '@service-pay/server';
import { parseBody, parseReference, readJson } from '@service-pay/server/express';
import Big from 'big.js';
import { type Request, type RequestHandler, type Response, Router } from 'express';
import * as v from 'valibot';
import type { BrowserCookie } from './browser-cookie.ts';
import type { CatalogueItem } from './catalogue.ts';
import { type OrderFields, orderFields } from './order-fields.ts';

const MOST_LINES = 50;
const MOST_OF_ONE = 99;

/** The order that is stored with each payment, and passed to `fulfil` once it is paid. */
export interface Cart {
  customer: OrderFields;
  lines: OrderLine[];
}

export interface OrderLine {
  sku: string;
  name: string;
  quantity: number;
  price: string;
}

export type ReadCatalogue = (skus?: readonly string[]) => Promise<readonly CatalogueItem[]>;

export interface OrderRoutesDeps {
  payments: Payments<Cart>;
  readCatalogue: ReadCatalogue;
  cookie: BrowserCookie;
  limit: RequestHandler;
  limitMaking: RequestHandler;
}

/** Other fields, such as a price, are ignored. Add your own to a line here. */
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
  customer: orderFields,
});

type OrderBody = v.InferOutput<typeof orderSchema>;

const goodsSchema = v.array(
  v.object({
    sku: v.string(),
    name: v.string(),
    description: v.string(),
    price: v.pipe(
      v.string(),
      v.regex(/^(?!0+\.00)\d+\.\d\d$/, 'must be above 0 and have two decimals, such as "10.00"'),
    ),
    currency: v.pipe(v.string(), v.regex(/^[A-Z]{3}$/, 'must be three letters, such as "ZMW"')),
  }),
);

interface Goods {
  lines: OrderLine[];
  amount: string;
  currency: string;
}

export function buildOrderRoutes(deps: OrderRoutesDeps): Router {
  const { payments, readCatalogue, cookie, limit, limitMaking } = deps;
  const router = Router({ caseSensitive: true, strict: true });

  router.get('/api/catalogue', async (_req, res) => {
    const data = assertSound(await readCatalogue());
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
   * Creates an order and its first payment, and responds with the options for `getPaid`. Returns
   * the earlier order if its `Idempotency-Key` was used before.
   */
  router.post('/api/orders', limitMaking, readJson, async (req, res) => {
    const payment = await place(req, res);
    res.status(201).json(envelope(checkoutOptions(payments, payment)));
  });

  router.get('/api/orders/:reference', limit, async (req, res) => {
    const whose = { owner: cookie.find(req) };
    const { amount, currency, data } = await payments.find(
      parseReference(req.params.reference),
      whose,
    );
    res.json(envelope({ amount, currency, ...data }));
  });

  return router;

  async function place(req: Request, res: Response): Promise<Payment<Cart>> {
    const request = parseBody(orderSchema, req.body);
    const idempotencyKey = req.headers['idempotency-key'] as string | undefined;
    let goods: Goods;
    try {
      const skus = request.items.map(({ sku }) => sku);
      goods = priceGoods(request.items, assertSound(await readCatalogue(skus)));
    } catch (error) {
      // the same request gets the same order, even if its goods are no longer sold
      const owner = cookie.find(req);
      const earlier =
        owner && (await payments.findByIdempotencyKey({ owner, idempotencyKey, request }));
      if (!earlier) throw error;
      return earlier;
    }
    const { lines, amount, currency } = goods;
    return payments.create({
      amount,
      currency,
      owner: cookie.ensure(req, res),
      data: { customer: request.customer, lines },
      idempotencyKey,
      request,
    });
  }
}

type PopupFields = Pick<PaymentRequest, 'email'> & NonNullable<PaymentRequest['customer']>;

/** Returns the options that `getPaid` takes, without the callbacks. */
export function checkoutOptions(payments: Payments<Cart>, payment: Payment<Cart>): PaymentRequest {
  const { customer, lines } = payment.data;
  const { email, firstName, lastName, phone }: PopupFields = customer;
  const label = lines.length === 1 ? lines[0]?.name : `${lines.length} items`;
  return payments.checkoutOptions(payment, {
    email,
    ...(label && { label }),
    ...((firstName ?? lastName ?? phone) !== undefined && {
      customer: { firstName, lastName, phone },
    }),
  });
}

/** Customers read only that something is wrong; the log names the item. */
function assertSound(goods: readonly CatalogueItem[]): readonly CatalogueItem[] {
  const [issue] = v.safeParse(goodsSchema, goods).issues ?? [];
  if (!issue) return goods;
  const item = JSON.stringify(issue.path?.[0].value);
  const problem = `Correct src/catalogue.ts: ${item}. ${v.getDotPath(issue)}: ${issue.message}.`;
  throw new PaymentsError('internal', 'Nothing can be ordered right now. Please try again later.', {
    cause: new Error(problem),
  });
}

function priceGoods(items: OrderBody['items'], catalogue: readonly CatalogueItem[]): Goods {
  const bySku = new Map(catalogue.map((item) => [item.sku, item]));
  const ordered = items.map(({ sku, quantity }, at) => ({
    quantity,
    item: bySku.get(sku) ?? reject(`items.${at}.sku`, 'unknown', 'must be one of the catalogue.'),
  }));
  const [currency = '', ...others] = new Set(ordered.map(({ item }) => item.currency));
  if (others.length) reject('items', 'currency', 'must all be priced in one currency.');
  const lines = ordered.map(({ item: { sku, name, price }, quantity }) => ({
    sku,
    name,
    quantity,
    price: Big(price).toFixed(2),
  }));
  const amount = lines.reduce(
    (sum, line) => sum.plus(Big(line.price).times(line.quantity)),
    Big(0),
  );
  return { lines, amount: amount.toFixed(2), currency };
}

function reject(path: string, code: string, rule: string): never {
  const message = `${path} ${rule}`;
  throw new PaymentsError('invalid_request', message, { problems: [{ path, code, message }] });
}
