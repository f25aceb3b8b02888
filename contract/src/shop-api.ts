import * as v from 'valibot';

import { timestampSchema } from './collection.ts';
import type { ErrorCode } from './envelope.ts';
import { currencySchema, decimalSchema } from './money.ts';
import { paymentRequestSchema, referenceSchema } from './payment-request-schema.ts';
import { CHANNELS } from './request-rules.ts';
import { SHOWN_STATUSES, type ShopRoute } from './shop-routes.ts';

export { pathOf, SHOP_ROUTES, type ShopRoute } from './shop-routes.ts';

/**
 * The state of an order's payments, as verify and the event stream return it (D57). For any payment
 * of an order, `reference` is the one that paid it, otherwise the newest. `amount` is in major units
 * of `currency`.
 */
export const shopPaymentSchema = v.object({
  reference: referenceSchema,
  status: v.picklist(SHOWN_STATUSES),
  amount: decimalSchema,
  currency: currencySchema,
  /** Something waits on the customer's phone or at their bank. */
  isWaitingForCustomer: v.boolean(),
  /** Money arrived, and a person at the shop must decide: the payment cannot be continued. */
  isInReview: v.optional(v.boolean()),
  /** A person rejected it: the customer must contact the shop before paying again. */
  mustContactShop: v.optional(v.boolean()),
  /** When it was paid: ISO 8601, in UTC. */
  paidAt: v.optional(timestampSchema),
  /** Such as `Visa •• 4242`, if the service says it. */
  paidWith: v.optional(v.object({ channel: v.picklist(CHANNELS), label: v.string() })),
});
export type ShopPayment = v.InferOutput<typeof shopPaymentSchema>;

/**
 * The options of `getPaid` as the shop's server returns them: without callbacks, and always with
 * key, e-mail, reference, amount and currency (specification 2.1).
 */
export const payableSchema = v.object({
  ...paymentRequestSchema.entries,
  currency: currencySchema,
});
export type Payable = v.InferOutput<typeof payableSchema>;

interface RouteContract {
  /** The schema of `data` in a successful response. */
  readonly data: v.GenericSchema;
  readonly successes: readonly number[];
  /** The HTTP statuses of other responses, each with the error codes that it may carry. */
  readonly failures: Readonly<Record<number, readonly ErrorCode[]>>;
}

/** Another page, an unknown order, too many requests, and a shop or a database that fails. */
const FAILURES = { 401: ['13'], 404: ['11'], 429: ['10'], 500: ['10'], 503: ['10'] } as const;
const UNREADABLE = { 400: ['01'] } as const;

/** The data and the codes of each route. */
export const SHOP_CONTRACT: Readonly<Record<ShopRoute, RouteContract>> = {
  place: {
    data: payableSchema,
    successes: [201],
    failures: { ...FAILURES, 400: ['01', '04'], 413: ['01'], 415: ['01'] },
  },
  open: { data: v.nullable(payableSchema), successes: [200], failures: FAILURES },
  verify: { data: shopPaymentSchema, successes: [200], failures: { ...FAILURES, ...UNREADABLE } },
  retry: {
    data: payableSchema,
    successes: [200, 201],
    failures: { ...FAILURES, 400: ['01', '04'] },
  },
  events: { data: shopPaymentSchema, successes: [200], failures: { ...FAILURES, ...UNREADABLE } },
};
