// YOURS: hands over the goods of a paid order. Replace the body of `fulfil`.
import type { Log } from './log.ts';
import type { Order } from './order.ts';

/** A paid order. `reference` is the same on every call for it: pass it on as the idempotency key of whatever you call. */
export interface PaidOrder extends Order {
  readonly reference: string;
}

/**
 * Called until it returns, at growing intervals: after a throw, after a minute without an end (`signal` then says so), and
 * after the process ended before its success was written down, by a crash or by a stop while the database was away. A shop that
 * lives tries until it is written, and does not call again meanwhile.
 *
 * It may therefore be called twice for one order, even while an earlier call still runs: from a machine that froze for some
 * seconds, or that the database did not answer, another has taken the order over, and the old call goes on before it can hear of
 * that. What it does must happen once, by `order.reference`; pass it on as the idempotency key, or write it down in one
 * transaction with what you do.
 *
 * It runs in the shop's own process: work that holds the event loop for seconds holds up the shop, and loses the order's lease.
 */
export type Fulfil = (order: PaidOrder, context: { signal: AbortSignal; log: Log }) => Promise<void>;

export const fulfil: Fulfil = async (order, { log }) => {
  log.info({ reference: order.reference, lines: order.lines.length }, 'order handed over');
};
