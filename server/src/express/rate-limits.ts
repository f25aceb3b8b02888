import { type Request, type RequestHandler, Router } from 'express';
import { type AugmentedRequest, ipKeyGenerator, rateLimit } from 'express-rate-limit';
import { PaymentsError } from '../errors.ts';
import { realClock } from '../support/clock.ts';

/** Limits are those of this process; the one that all instances share is the proxy's before them. */
const ORDERS_WINDOW_MS = 2 * 60_000;
const ORDERS_PER_WINDOW = 100;

const WINDOW_MS = 10_000;
const REQUESTS_PER_WINDOW = 300;
const REQUESTS_OF_ADDRESS_PER_WINDOW = 3_000;

/** Limits what makes payments: each one that stays open is asked about for weeks. */
export function limitOrders(): RequestHandler {
  return limitBy(ORDERS_PER_WINDOW, ORDERS_WINDOW_MS, 'orders from this address');
}

export function limitBrowsers(
  findKey: (req: Request) => string | undefined,
  ofAddress = REQUESTS_OF_ADDRESS_PER_WINDOW,
): RequestHandler {
  return Router().use(
    limitBy(REQUESTS_PER_WINDOW, WINDOW_MS, 'requests from this browser', findKey),
    limitBy(ofAddress, WINDOW_MS, 'requests from this address'),
  );
}

function limitBy(
  limit: number,
  windowMs: number,
  what: string,
  findKey?: (req: Request) => string | undefined,
): RequestHandler {
  return rateLimit({
    windowMs,
    limit,
    keyGenerator: (req) => findKey?.(req) ?? ipKeyGenerator(req.ip ?? ''),
    standardHeaders: false,
    legacyHeaders: false,
    validate: false,
    handler: (req) => {
      const endsAt = (req as AugmentedRequest).rateLimit?.resetTime?.getTime() ?? 0;
      const retryAfterSeconds = Math.max(1, Math.ceil((endsAt - realClock.now()) / 1_000));
      const message = `Too many ${what}: wait a little.`;
      throw new PaymentsError('too_many_requests', message, { retryAfterSeconds });
    },
  });
}
