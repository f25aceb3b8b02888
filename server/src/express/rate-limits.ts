import { createHash } from 'node:crypto';
import type { Request, RequestHandler } from 'express';
import type { AugmentedRequest, ClientRateLimitInfo } from 'express-rate-limit';
import { PaymentsError } from '../errors.ts';
import { type FindOwner, readOwner } from '../routes/owner.ts';
import { realClock } from '../support/clock.ts';
import { networkOf } from '../support/network-of.ts';
import { MemoryStore, Router, rateLimit } from './peers.ts';

/**
 * The window of these limits, which are per process. A limit over all instances belongs in the
 * proxy.
 */
const WINDOW_MS = 10_000;
const HOUR_MS = 60 * 60_000;

const ORDERS_PER_WINDOW = 100;
const ORDERS_PER_HOUR = 3_000;

const REQUESTS_PER_WINDOW = 300;
const REQUESTS_OF_ADDRESS_PER_WINDOW = 3_000;

const MOST_ADDRESSES = 100_000;

/** Limits calls that create payments, because each open payment is polled for weeks. */
export function limitOrders({ ofAddressInAnHour = ORDERS_PER_HOUR } = {}): RequestHandler {
  return Router().use(
    limitBy(ORDERS_PER_WINDOW, WINDOW_MS, 'orders from this address'),
    limitBy(ofAddressInAnHour, HOUR_MS, 'orders from this address'),
  );
}

export function limitBrowsers(
  findKey: FindOwner<Request>,
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
  findKey?: FindOwner<Request>,
): RequestHandler {
  return rateLimit({
    windowMs,
    limit,
    keyGenerator: async (req) => {
      const owner = findKey && (await readOwner(findKey, req));
      return owner === undefined ? networkOf(req.ip ?? '') : keyOf(owner);
    },
    standardHeaders: false,
    legacyHeaders: false,
    validate: false,
    store: new BoundedStore(),
    handler: (req) => {
      const endsAt = (req as AugmentedRequest).rateLimit?.resetTime?.getTime() ?? 0;
      const retryAfterSeconds = Math.max(1, Math.ceil((endsAt - realClock.now()) / 1_000));
      const message = `Too many ${what}: wait a little.`;
      throw new PaymentsError('too_many_requests', message, { retryAfterSeconds });
    },
  });
}

/** Keeps no owner as it is, because a stranger's cookie may be as long as a header. */
export function keyOf(owner: string): string {
  return createHash('sha256').update(owner).digest('base64');
}

/**
 * Forgets all addresses when it holds too many, because an hour of new addresses would take
 * gigabytes.
 */
export class BoundedStore extends MemoryStore {
  override async increment(key: string): Promise<ClientRateLimitInfo> {
    if (this.current.size + this.previous.size >= MOST_ADDRESSES) await this.resetAll();
    return super.increment(key);
  }
}
