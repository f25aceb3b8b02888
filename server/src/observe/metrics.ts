import type { Registry } from '@prometheus-io/client';

import type { PaymentState } from '../database/schema.ts';
import type { NotKnownReason } from '../errors.ts';
import type { CircuitState } from '../service/circuit-breaker.ts';
import { OWN_ROUTES } from '../support/own-routes.ts';
import type { ShopFigures, Waiting } from './figures.ts';

const TRIGGERS = ['webhook', 'success', 'page', 'due'] as const;
/**
 * What triggered a confirm. News (`webhook`, `success`) waits for a fresh response, a `page` does
 * not, and `due` accepts any real response of the service (D59).
 */
export type Trigger = (typeof TRIGGERS)[number];
const DELIVERY_RESULTS = [
  'stored',
  'duplicate',
  'unsigned',
  'signature_refused',
  'unreadable',
  'not_stored',
] as const;
const ALERT_REASONS = [
  'needs_review',
  'paid_twice',
  'token_refused',
  'garbled_answer',
  'reference_unusable',
  'fulfilment_parked',
  'signature_refused',
  'unknown_reference',
] as const;
export type AlertReason = (typeof ALERT_REASONS)[number];
type ConfirmResult = PaymentState | 'unchanged' | NotKnownReason | 'error';
/** The results that rules look at. */
const ALERTED_RESULTS = ['paid', 'timeout', 'unreachable', 'busy'] as const;
const ORDER_RESULTS = ['created', 'repeated', 'rejected', 'failed'] as const;

interface MetricsSources {
  figures?: () => Promise<ShopFigures>;
  circuit?: () => CircuitState;
}

interface Counted {
  name: string;
  help: string;
  labelNames: string[];
  /** By the values of the labels, as JSON. */
  counts: Map<string, number>;
}

/**
 * The metrics of `GET /metrics`. Labels are few and fixed: no reference, no address, no path (T79).
 * Loads the library that writes them when they are first read, as functions never do.
 */
export class Metrics {
  readonly #counted: Counted[] = [];
  #runtime: Registry | undefined;
  readonly #sources: MetricsSources;
  readonly countRequest = this.#counter<[method: string, route: string, status: number]>(
    'service_pay_requests_total',
    'HTTP requests, by method, route and HTTP status.',
    ['method', 'route', 'status'],
    OWN_ROUTES.map(({ method, path }) => [method, path, 500]),
  );
  readonly countOrder = this.#counter<[result: (typeof ORDER_RESULTS)[number]]>(
    'service_pay_orders_total',
    'Orders that the application requested, by result.',
    ['result'],
    ORDER_RESULTS.map((result) => [result]),
  );
  readonly countDelivery = this.#counter<[result: (typeof DELIVERY_RESULTS)[number]]>(
    'service_pay_webhook_deliveries_total',
    'Webhooks received, by result.',
    ['result'],
    DELIVERY_RESULTS.map((result) => [result]),
  );
  readonly countConfirm = this.#counter<[trigger: Trigger, result: ConfirmResult]>(
    'service_pay_confirms_total',
    'Verify calls of the shop, by trigger and by result.',
    ['trigger', 'result'],
    TRIGGERS.flatMap((trigger) => ALERTED_RESULTS.map((result) => [trigger, result])),
  );
  readonly countAlert = this.#counter<[reason: AlertReason]>(
    'service_pay_alerts_total',
    'Alerts that need a person, by reason.',
    ['reason'],
    ALERT_REASONS.map((reason) => [reason]),
  );

  constructor(sources: MetricsSources = {}) {
    this.#sources = sources;
  }

  /**
   * Returns the metrics as text, those of the Node process apart. Leaves out, instead of reporting
   * 0, what the database cannot say.
   */
  async text(): Promise<{ type: string; own: string; runtime: string }> {
    const client = await import('@prometheus-io/client');
    const counters = new client.Registry();
    for (const { counts, ...described } of this.#counted) {
      const counter = new client.Counter({ ...described, registers: [counters] });
      for (const [labels, count] of counts)
        counter.labels(...(JSON.parse(labels) as string[])).inc(count);
    }
    const gauges = await readGauges(this.#sources, client);
    const named = (await counters.metrics()) + (await gauges.metrics());
    const own = named + underOldNames(named);
    if (!this.#runtime) {
      this.#runtime = new client.Registry();
      client.collectDefaultMetrics({ register: this.#runtime });
    }
    return { type: counters.contentType, own, runtime: await this.#runtime.metrics() };
  }

  /** Labels in `fromZero` start at 0, because a rule sees a first event only as an increase. */
  #counter<Labels extends (string | number)[]>(
    name: string,
    help: string,
    labelNames: string[],
    fromZero: Labels[],
  ): (...labels: Labels) => void {
    const keyOf = (labels: Labels) => JSON.stringify(labels.map(String));
    const counts = new Map(fromZero.map((labels) => [keyOf(labels), 0]));
    this.#counted.push({ name, help, labelNames, counts });
    return (...labels) => void counts.set(keyOf(labels), (counts.get(keyOf(labels)) ?? 0) + 1);
  }
}

/** Repeats metrics under the names of version 0.2, for the rules of shops that still use them. */
function underOldNames(text: string): string {
  return text.replaceAll(/^((?:# (?:HELP|TYPE) )?)service_pay_/gm, '$1shop_');
}

async function readGauges(
  { figures, circuit }: MetricsSources,
  { Gauge, Registry }: typeof import('@prometheus-io/client'),
): Promise<Registry> {
  const registry = new Registry();
  const give = (name: string, help: string, value: number | Record<string, number>) => {
    const gauge = new Gauge({ name, help, labelNames: ['state'], registers: [registry] });
    if (typeof value === 'number') gauge.set({}, value);
    else for (const [state, count] of Object.entries(value)) gauge.set({ state }, count);
  };

  if (circuit)
    give('service_pay_service_circuit', '1 at the state of the circuit to the payment service.', {
      ...{ closed: 0, 'half-open': 0, open: 0 },
      [circuit()]: 1,
    });
  const found = await (async () => figures?.())().catch(() => undefined);
  give('service_pay_database_up', '1 if the database gives the figures below.', found ? 1 : 0);
  if (!found) return registry;
  const { payments, overdue, deliveries, waiting, parked } = found;
  give('service_pay_payments', 'Payments by state, up to 10 000 of each.', payments);
  give('service_pay_reconciler_overdue', 'Payments that are due to be polled.', overdue.count);
  give(
    'service_pay_reconciler_lag_seconds',
    'How long the oldest of them is overdue.',
    ageOf(overdue),
  );
  give(
    'service_pay_webhook_deliveries_not_handled',
    'Webhooks that report the end of a payment that is still open.',
    deliveries.count,
  );
  give('service_pay_oldest_delivery_not_handled_seconds', 'Age of the oldest.', ageOf(deliveries));
  give('service_pay_fulfilments', 'Paid orders that are not fulfilled, by state.', {
    waiting: waiting.count,
    parked: parked.count,
  });
  give(
    'service_pay_oldest_fulfilment_seconds',
    'Seconds since the oldest of them was paid, by state.',
    {
      waiting: ageOf(waiting),
      parked: ageOf(parked),
    },
  );
  return registry;
}

function ageOf({ oldestMs = 0 }: Waiting): number {
  return oldestMs / 1_000;
}
