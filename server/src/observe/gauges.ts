import { Gauge, type Registry } from '@prometheus-io/client';
import type { PaymentState } from '../database/schema.ts';
import { pause, realClock } from '../support/clock.ts';

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

/** Reads figures once for all who ask at the same time, and keeps them for a while. */
export class LatestFigures {
  readonly #read: () => Promise<ShopFigures>;
  readonly #keptMs: number;
  #known: { figures: ShopFigures; at: number } | undefined;
  #reading: Promise<void> | undefined;

  constructor(read: () => Promise<ShopFigures>, keptMs: number) {
    this.#read = read;
    this.#keptMs = keptMs;
  }

  /** Gives them within a second, or undefined where the database fails or has long said nothing. */
  async find(): Promise<ShopFigures | undefined> {
    if (this.#ageMs() >= this.#keptMs) {
      this.#reading ??= this.#readAgain();
      await Promise.race([this.#reading, pause(realClock, WITHIN_MS)]);
    }
    return this.#ageMs() > LATE_UP_TO_MS ? undefined : this.#known?.figures;
  }

  async #readAgain(): Promise<void> {
    try {
      const figures = await this.#read();
      this.#known = { figures, at: realClock.now() };
    } catch {
      this.#known = undefined;
    }
    this.#reading = undefined;
  }

  /** A clock that was set back makes them old, and not young for ever. */
  #ageMs(): number {
    return Math.abs(realClock.now() - (this.#known?.at ?? Number.NEGATIVE_INFINITY));
  }
}

/** Registers the gauges that are read from the database when they are asked for. */
export function registerFigures(
  registry: Registry,
  find: () => Promise<ShopFigures | undefined>,
): void {
  for (const { name, help, labelNames = [], read } of GAUGES)
    new Gauge({
      name,
      help,
      labelNames,
      registers: [registry],
      async collect() {
        const figures = await find();
        this.reset();
        if (!labelNames.length) this.remove();
        for (const { value, ...labels } of figures ? read(figures) : []) this.set(labels, value);
      },
    });
  new Gauge({
    name: 'shop_database_up',
    help: '1 where the database gives the figures that are read from it, 0 where they are left out.',
    registers: [registry],
    async collect() {
      this.set((await find()) ? 1 : 0);
    },
  });
}

type Sample = { value: number; state?: string; age?: string };

const GAUGES: {
  name: string;
  help: string;
  labelNames?: string[];
  read: (figures: ShopFigures) => Sample[];
}[] = [
  {
    name: 'shop_payments',
    help: 'Payments by state and age.',
    labelNames: ['state', 'age'],
    read: ({ payments }) => payments.map(({ state, age, count }) => ({ state, age, value: count })),
  },
  {
    name: 'shop_oldest_awaiting_payment_seconds',
    help: 'Age of the oldest payment that is still awaited.',
    read: ({ oldestAwaitingMs }) => [inSeconds(oldestAwaitingMs)],
  },
  {
    name: 'shop_reconciler_overdue',
    help: 'Payments that should have been asked about by now.',
    read: ({ overdue }) => [{ value: overdue }],
  },
  {
    name: 'shop_reconciler_lag_seconds',
    help: 'For how long the first of them has been overdue.',
    read: ({ overdueMs }) => [inSeconds(overdueMs)],
  },
  {
    name: 'shop_webhook_deliveries_not_handled',
    help: 'Webhooks stored that announce an end of a payment which is not decided yet.',
    read: ({ deliveriesNotHandled }) => [{ value: deliveriesNotHandled }],
  },
  {
    name: 'shop_oldest_delivery_not_handled_seconds',
    help: 'Age of the oldest of them.',
    read: ({ oldestDeliveryNotHandledMs }) => [inSeconds(oldestDeliveryNotHandledMs)],
  },
  {
    name: 'shop_fulfilments',
    help: 'Orders paid and not handed over yet, by state.',
    labelNames: ['state'],
    read: ({ fulfilments }) => fulfilments.map(({ state, count }) => ({ state, value: count })),
  },
  {
    name: 'shop_oldest_fulfilment_seconds',
    help: 'How long the oldest order that is not handed over has been paid, by state.',
    labelNames: ['state'],
    read: ({ fulfilments }) =>
      fulfilments.map(({ state, oldestMs }) => ({ state, ...inSeconds(oldestMs) })),
  },
];

/** Nothing of an age is 0 seconds old: a rule that asks for more than some age does not fire. */
function inSeconds(ms: number | undefined): { value: number } {
  return { value: Math.max(0, ms ?? 0) / 1_000 };
}
