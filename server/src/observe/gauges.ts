import { Gauge, type Registry } from 'prom-client';
import type { PaymentState } from '../database/schema.ts';
import { realClock } from '../support/clock.ts';

/**
 * Figures that take longer are left for the next scrape, which shows those before them unless they
 * are older than that.
 */
const WITHIN_MS = 1_000;
const LATE_UP_TO_MS = 60_000;

/**
 * What the database says at one moment. Ages are in milliseconds, and undefined where there is
 * nothing of an age.
 */
export interface ShopFigures {
  /** Payments by state and by a name for their age, of few. */
  payments: readonly { state: PaymentState; age: string; count: number }[];
  oldestAwaitingMs: number | undefined;
  /** Payments that should have been asked about by now, and for how long the first of them. */
  overdue: number;
  overdueMs: number | undefined;
  /** Webhooks that announce an end of a payment which is not decided yet. */
  deliveriesNotHandled: number;
  oldestDeliveryNotHandledMs: number | undefined;
  fulfilments: readonly {
    state: 'waiting' | 'parked';
    count: number;
    oldestMs: number | undefined;
  }[];
}

/** The gauges that are read from the database when they are asked for. */
export class FigureGauges {
  readonly #up: Gauge;
  readonly #payments: Gauge<'state' | 'age'>;
  readonly #fulfilments: Gauge<'state'>;
  readonly #oldestFulfilment: Gauge<'state'>;
  readonly #singles: readonly {
    gauge: Gauge;
    read: (figures: ShopFigures) => number | undefined;
  }[];
  readonly #keptMs: number;
  #shownAt: number | undefined;
  #reading: Promise<void> | undefined;

  constructor(registry: Registry, keptMs: number) {
    this.#keptMs = keptMs;
    const registers = [registry];
    const single = (
      name: string,
      help: string,
      read: (figures: ShopFigures) => number | undefined,
    ) => ({
      gauge: new Gauge({ name, help, registers }),
      read,
    });
    this.#up = new Gauge({
      name: 'shop_database_up',
      help: '1 where the database gives the figures that are read from it, 0 where they are left out.',
      registers,
    });
    this.#payments = new Gauge({
      name: 'shop_payments',
      help: 'Payments by state and age.',
      labelNames: ['state', 'age'],
      registers,
    });
    this.#fulfilments = new Gauge({
      name: 'shop_fulfilments',
      help: 'Orders paid and not handed over yet, by state.',
      labelNames: ['state'],
      registers,
    });
    this.#oldestFulfilment = new Gauge({
      name: 'shop_oldest_fulfilment_seconds',
      help: 'How long the oldest order that is not handed over has been paid, by state.',
      labelNames: ['state'],
      registers,
    });
    this.#singles = [
      single(
        'shop_oldest_awaiting_payment_seconds',
        'Age of the oldest payment that is still awaited.',
        (figures) => inSeconds(figures.oldestAwaitingMs),
      ),
      single(
        'shop_reconciler_overdue',
        'Payments that should have been asked about by now.',
        (figures) => figures.overdue,
      ),
      single(
        'shop_reconciler_lag_seconds',
        'For how long the first of them has been overdue.',
        (figures) => inSeconds(figures.overdueMs),
      ),
      single(
        'shop_webhook_deliveries_not_handled',
        'Webhooks stored that announce an end of a payment which is not decided yet.',
        (figures) => figures.deliveriesNotHandled,
      ),
      single('shop_oldest_delivery_not_handled_seconds', 'Age of the oldest of them.', (figures) =>
        inSeconds(figures.oldestDeliveryNotHandledMs),
      ),
    ];
  }

  /**
   * Brings the gauges up to date, or empties them where the database fails, or has said nothing for
   * a minute. One reading runs at a time, so that a database that hangs is not asked once more by
   * each scrape.
   */
  async refresh(read: () => Promise<ShopFigures>): Promise<void> {
    if (this.#ageMs() < this.#keptMs) return;
    this.#reading ??= Promise.resolve()
      .then(read)
      .then(
        (figures) => this.#show(figures),
        () => this.#show(undefined),
      )
      .finally(() => {
        this.#reading = undefined;
      });
    const tooLate = Promise.withResolvers<void>();
    const stopWaiting = realClock.after(WITHIN_MS, () => {
      if (this.#ageMs() > LATE_UP_TO_MS) this.#show(undefined);
      tooLate.resolve();
    });
    await Promise.race([this.#reading, tooLate.promise]);
    stopWaiting();
  }

  /**
   * How long ago the database told what is shown. A clock that was set back makes it old, and not
   * young for ever.
   */
  #ageMs(): number {
    return Math.abs(realClock.now() - (this.#shownAt ?? Number.NEGATIVE_INFINITY));
  }

  #show(figures: ShopFigures | undefined): void {
    this.#shownAt = figures && realClock.now();
    for (const gauge of [this.#payments, this.#fulfilments, this.#oldestFulfilment]) gauge.reset();
    this.#up.set(figures ? 1 : 0);
    for (const { gauge, read } of this.#singles) {
      if (figures) gauge.set(read(figures) ?? 0);
      else gauge.remove();
    }
    for (const { state, age, count } of figures?.payments ?? [])
      this.#payments.inc({ state, age }, count);
    for (const { state, count, oldestMs } of figures?.fulfilments ?? []) {
      this.#fulfilments.set({ state }, count);
      this.#oldestFulfilment.set({ state }, inSeconds(oldestMs));
    }
  }
}

/** Nothing of an age is 0 seconds old: a rule that asks for more than some age does not fire. */
function inSeconds(ms: number | undefined): number {
  return Math.max(0, ms ?? 0) / 1_000;
}
