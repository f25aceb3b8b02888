import { type Request, type RequestHandler, Router } from 'express';
import { type AugmentedRequest, ipKeyGenerator, MemoryStore, rateLimit } from 'express-rate-limit';
import { PaymentsError } from '../errors.ts';
import { realClock } from '../support/clock.ts';

/** Limits are those of this process; the one that all instances share is the proxy's before them. */
const WINDOW_MS = 10_000;
const HOUR_MS = 60 * 60_000;

const ORDERS_PER_WINDOW = 100;
const ORDERS_PER_HOUR = 3_000;

const REQUESTS_PER_WINDOW = 300;
const REQUESTS_OF_ADDRESS_PER_WINDOW = 3_000;

const MOST_ADDRESSES = 100_000;

const TOO_MANY_ORDERS = 'Too many orders from this address: wait a little.';

export function limitOrders({ ofAddressInAnHour = ORDERS_PER_HOUR } = {}): RequestHandler {
  return Router().use(
    limitBy(ORDERS_PER_WINDOW, TOO_MANY_ORDERS),
    limitBy(ofAddressInAnHour, TOO_MANY_ORDERS, { windowMs: HOUR_MS }),
  );
}

export function limitBrowsers(
  findKey: (req: Request) => string | undefined,
  ofAddress = REQUESTS_OF_ADDRESS_PER_WINDOW,
): RequestHandler {
  return Router().use(
    limitBy(REQUESTS_PER_WINDOW, 'Too many requests from this browser: wait a little.', {
      findKey,
    }),
    limitBy(ofAddress, 'Too many requests from this address: wait a little.'),
  );
}

function limitBy(
  limit: number,
  message: string,
  options: { windowMs?: number; findKey?: (req: Request) => string | undefined } = {},
): RequestHandler {
  const { windowMs = WINDOW_MS, findKey } = options;
  return rateLimit({
    windowMs,
    limit,
    keyGenerator: (req) => findKey?.(req) ?? ipKeyGenerator(req.ip ?? ''),
    standardHeaders: false,
    legacyHeaders: false,
    validate: false,
    store: new BoundedStore(),
    handler: (req) => {
      const endsAt = (req as AugmentedRequest).rateLimit?.resetTime?.getTime();
      const leftMs = endsAt === undefined ? windowMs : endsAt - realClock.now();
      throw new PaymentsError('too_many_requests', message, {
        retryAfterSeconds: Math.max(1, Math.ceil(leftMs / 1000)),
      });
    },
  });
}

/** Forgets everybody when it remembers too many: an hour of new addresses would take gigabytes. */
export class BoundedStore extends MemoryStore {
  override async increment(key: string): ReturnType<MemoryStore['increment']> {
    if (this.current.size + this.previous.size >= MOST_ADDRESSES) await this.resetAll();
    return super.increment(key);
  }
}
