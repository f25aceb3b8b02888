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
 * Called until it returns, at growing intervals: after a throw, after a minute without an end, or
 * five seconds once the shop was told to stop (`signal` then says so), and after the process ended
 * before its success was written down, by a crash or by a stop while the database was away. A shop
 * that lives tries until it is written, and does not call again meanwhile.
 *
 * It may therefore be called twice for one order, even while an earlier call still runs:
 * - A call that does not heed `signal` after its minute runs on beside the next.
 * - A stop ends the process, and with it the call. Another shop calls again some seconds later, and
 *   what the first call had begun elsewhere, as a request to a warehouse, may still be at work.
 * - From a machine that froze for some seconds, or that the database did not answer, another has
 *   taken the order over, and the old call goes on before it can hear of that.
 *
 * What it does must happen once, by `order.id`; pass it on as the idempotency key, or write
 * it down in one transaction with what you do. Hand `signal` to whatever takes one.
 *
 * It runs in the shop's own process: work that holds the event loop for seconds holds up the shop,
 * and loses the order's lease.
 */
export type Fulfil<Data = unknown> = (
  order: PaidOrder<Data>,
  context: { signal: AbortSignal; log: Log },
) => Promise<void>;
