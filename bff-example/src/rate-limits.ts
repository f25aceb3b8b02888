import { type RequestHandler, Router } from 'express';
import { ipKeyGenerator, rateLimit } from 'express-rate-limit';

import { ApiError } from './api-error.ts';
import type { BrowserCookie } from './browser-cookie.ts';

/** Limits are those of this process; the one that all instances share is the proxy's before them. */
const WINDOW_MS = 10_000;

/** Orders that one address may make, far above what people do and below what fills a disk (T74). */
const ORDERS_PER_WINDOW = 100;

/** Orders that everybody together may make of this process: many addresses are for rent, and each order is a row for ever. */
const ORDERS_OF_ALL_PER_WINDOW = 10_000;

/** Requests about payments that one browser may send: all its tabs, and pages that ask too often (T75). */
const REQUESTS_PER_WINDOW = 300;

/** Limits who orders, by address and altogether. `mostOfAll` is for its test, which sends fewer: no setting reaches it. */
export function limitOrders(mostOfAll = ORDERS_OF_ALL_PER_WINDOW): RequestHandler {
  return Router().use(
    limitBy(ORDERS_PER_WINDOW, 'Too many orders from this address: wait a little.'),
    limitBy(mostOfAll, 'The shop gets more orders than it takes: wait a little.', () => 'all'),
  );
}

/** Limits who asks about payments, by browser: many share an address. A browser we do not know counts by its address. */
export function limitBrowsers(cookie: BrowserCookie): RequestHandler {
  return limitBy(REQUESTS_PER_WINDOW, 'Too many requests from this browser: wait a little.', (req) => cookie.find(req));
}

function limitBy(limit: number, message: string, findKey: (req: Parameters<RequestHandler>[0]) => string | undefined = () => undefined) {
  return rateLimit({
    windowMs: WINDOW_MS,
    limit,
    keyGenerator: (req) => findKey(req) ?? ipKeyGenerator(req.ip ?? ''),
    standardHeaders: false,
    legacyHeaders: false,
    validate: false,
    handler: () => {
      throw new ApiError('too_many_requests', message, { retryAfterSeconds: WINDOW_MS / 1000 });
    },
  });
}
