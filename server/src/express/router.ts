import type {
  ErrorRequestHandler,
  Router as ExpressRouter,
  Request,
  RequestHandler,
} from 'express';

import type { Payments } from '../create-payments.ts';
import { toPaymentsError } from '../errors.ts';
import type { Metrics } from '../observe/metrics.ts';
import type { Owner } from '../routes/owner.ts';
import { buildPaymentRoutes, buildWebhookRoute, type RoutesOptions } from '../routes/routes.ts';
import type { Route } from '../routes/shop-route.ts';
import { Router } from './peers.ts';
import { limitBrowsers, limitOrders } from './rate-limits.ts';
import { discardBody } from './request-body.ts';
import { buildOwnPagesOnly } from './request-guards.ts';
import { toRequestHandler } from './request-handler.ts';

/** Serves `POST /webhooks/service-pay`. Mount it before anything that reads bodies. */
export function webhookRoute<Data>(payments: Payments<Data>): ExpressRouter {
  const route = buildWebhookRoute(payments);
  return Router({ caseSensitive: true }).post(route.path, toRequestHandler(route));
}

export interface PaymentRoutesOptions<Data> extends RoutesOptions<Data, Request> {
  /** Limits everything but retry: `limitBrowsers(findOwner)` by default. */
  limit?: RequestHandler;
  /** Limits retry, which creates payments: `limitOrders()` by default. */
  limitRetries?: RequestHandler;
}

/**
 * Serves verify, retry and the event stream of a payment, for the whole order that it belongs to,
 * and `GET /api/orders/open`: the options of the owner's newest open payment, or null. Event
 * streams end at `drain`, and keep the server open until then.
 */
export function paymentRoutes<Data>(
  payments: Payments<Data>,
  { limit, limitRetries = limitOrders(), ...options }: PaymentRoutesOptions<Data>,
): ExpressRouter {
  const router = Router({ caseSensitive: true });
  const findOwner = once(options.findOwner);
  const limitAll = limit ?? limitBrowsers(findOwner);
  const ownPages = buildOwnPagesOnly(options.publicUrl, options.allowedOrigins);
  for (const route of buildPaymentRoutes(payments, { ...options, findOwner })) {
    const limits = route.name === 'retry' ? limitRetries : limitAll;
    const handle = [toRequestHandler(route), countRejected(payments.counters, route)];
    if (options.allowedOrigins?.length) router.options(route.path, ownPages);
    if (route.method === 'GET') router.get(route.path, ownPages, limits, handle);
    else router.post(route.path, ownPages, discardBody, limits, handle);
  }
  return router;
}

/** Counts a request that failed before its route, such as in the limits. */
function countRejected(
  metrics: Metrics,
  { method, path }: Pick<Route<Request>, 'method' | 'path'>,
): ErrorRequestHandler {
  return (thrown: unknown, _req, res, next) => {
    if (!res.locals.isCounted)
      metrics.countRequest(method, path, toPaymentsError(thrown).httpStatus);
    res.locals.isCounted = true;
    next(thrown);
  };
}

/** Finds the owner of a request once, because limit and route both need it. */
function once(findOwner: (req: Request) => Owner | Promise<Owner>): typeof findOwner {
  const found = new WeakMap<Request, Owner | Promise<Owner>>();
  return (req) => {
    if (!found.has(req)) found.set(req, findOwner(req));
    return found.get(req);
  };
}
