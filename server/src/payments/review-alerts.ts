import type { Log } from '../observe/log.ts';
import type { Metrics } from '../observe/metrics.ts';
import { PAID_BEFORE } from './paid-queries.ts';
import type { Payment } from './payment.ts';

/** Payments remembered because it is not known if they were moved. */
const MOST_UNCERTAIN = 10_000;

/**
 * Raises the alert for each payment that needs review. Each is one customer's money and happens
 * once, so none is throttled.
 */
export class ReviewAlerts {
  readonly #metrics: Metrics;
  readonly #log: Log;
  /** Payments whose move the database did not answer: it may have been made, or be made yet. */
  readonly #uncertain = new Set<string>();

  constructor(metrics: Metrics, log: Log) {
    this.#metrics = metrics;
    this.#log = log;
  }

  /** Raises the alert for a payment that just moved. */
  raise({ reference, reviewReason }: Pick<Payment, 'reference' | 'reviewReason'>): void {
    this.#uncertain.delete(reference);
    const isPaidTwice = reviewReason === PAID_BEFORE;
    this.#metrics.countAlert(isPaidTwice ? 'paid_twice' : 'needs_review');
    if (isPaidTwice) this.#log.error({ reference }, 'order was paid twice: payment needs review');
    else
      this.#log.error(
        { reference, reason: reviewReason },
        'payment is not what was ordered: it needs review',
      );
  }

  /**
   * Remembers a payment whose move was not answered. After a restart, the alerts at start cover it.
   */
  noteUncertain(reference: string): void {
    this.#uncertain.add(reference);
    const [oldest] = this.#uncertain;
    if (this.#uncertain.size > MOST_UNCERTAIN) this.#uncertain.delete(oldest!);
  }

  /** Raises the alert if a move that was not answered turns out to be made. */
  check(payment: Payment): void {
    if (payment.state === 'needs-review' && this.#uncertain.has(payment.reference))
      this.raise(payment);
  }
}
