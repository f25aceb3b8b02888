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
 * Called at growing intervals until it returns: after an error, after a minute without an end, and
 * after a process that ended before it could record the success. `signal` aborts after that minute,
 * and five seconds after the shop began to shut down.
 *
 * It may therefore be called twice for one order, even while an earlier call still runs: one that
 * ignores `signal` in another process, one in a process that froze or lost its database for more than
 * 4 s, or a request that it had sent elsewhere. The same process calls again only after the earlier call
 * has ended. Make its effects happen once by `order.id`, as an idempotency key or in one transaction with
 * what you write.
 *
 * It runs in the shop's own process. Work that blocks the event loop for seconds blocks the shop, and
 * loses the order's lease.
 */
export type Fulfil<Data = unknown> = (
  order: PaidOrder<Data>,
  context: { signal: AbortSignal; log: Log },
) => Promise<void>;
