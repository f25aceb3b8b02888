import type { Log } from '../observe/log.ts';
import type { Order } from '../payments/payment.ts';

/**
 * A paid order. Its `id` is the same on every call: pass it on as the idempotency key of whatever
 * you call. `reference` is the payment that paid it.
 */
export interface PaidOrder<Data = unknown> extends Order<Data> {
  readonly reference: string;
}

/**
 * Called until it returns, at growing intervals: after a throw, after a minute without an end, and
 * after a process that ended before it could write the success down. `signal` aborts after that
 * minute, and five seconds after the shop was told to stop.
 *
 * It may therefore be called twice for one order, even while an earlier call still runs: one that does
 * not heed `signal`, one of a process that froze or lost its database for seconds, or a request that it
 * had begun elsewhere. Make its effects happen once by `order.id`, as an idempotency key or in one
 * transaction with what you write.
 *
 * It runs in the shop's own process: work that holds the event loop for seconds holds up the shop, and
 * loses the order's lease.
 */
export type Fulfil<Data = unknown> = (
  order: PaidOrder<Data>,
  context: { signal: AbortSignal; log: Log },
) => Promise<void>;
