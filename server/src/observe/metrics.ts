import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from '@prometheus-io/client';

import type { Trigger } from '../payments/confirm.ts';
import { ServiceCallError, type ServiceCallErrorCode } from '../service/client.ts';
import { LatestFigures, registerFigures, type ShopFigures } from './gauges.ts';

const TRIGGERS = ['webhook', 'success', 'look', 'due'] as const satisfies Trigger[];
const DELIVERY_RESULTS = [
  'stored',
  'duplicate',
  'unsigned',
  'signature_refused',
  'unreadable',
  'not_stored',
] as const;
const FULFILMENT_RESULTS = ['done', 'failed', 'taken_over'] as const;
const ALERT_REASONS = [
  'needs_review',
  'paid_twice',
  'token_refused',
  'garbled_answer',
  'reference_unusable',
  'fulfilment_parked',
  'signature_refused',
] as const;

/** How an order may end that was well asked for: made, or not by a fault of ours. */
const ORDER_STATUSES = [201, 500, 503];

/**
 * What became of a webhook: stored, there already, not signed at all, not with our token, signed
 * but no event, or not stored since the database failed.
 */
type DeliveryResult = (typeof DELIVERY_RESULTS)[number];

/**
 * How a call of the merchant's function ended. `taken_over`: well, but another instance held its
 * row by then.
 */
type FulfilmentResult = (typeof FULFILMENT_RESULTS)[number];

/** Why somebody must act. */
type AlertReason = (typeof ALERT_REASONS)[number];

/**
 * What a confirm ended in: the state the payment moved to, `unchanged`, or why it is not known yet
 * (D52).
 */
type ConfirmResult =
  | 'paid'
  | 'failed'
  | 'expired'
  | 'needs-review'
  | 'unchanged'
  | ServiceCallErrorCode
  | 'error';

/** Where the gauges are read from when they are asked for. */
interface MetricsSources {
  figures: () => Promise<ShopFigures>;
  circuit: () => 'closed' | 'open' | 'half-open';
  eventStreams: () => number;
}

/**
 * How the service was when it was last asked. One that refuses the token answers, and still nothing
 * is confirmed.
 */
type ServiceStanding = 'unknown' | 'reachable' | 'unreachable' | 'token-refused';

/**
 * What the shop counts, for `GET /metrics`: whether money is being lost, and why. Labels are few
 * and fixed: no reference, no address, no path (T79).
 */
export class Metrics {
  readonly #registry = new Registry();
  readonly #requests = new Counter({
    name: 'shop_requests_total',
    help: 'Requests answered, by method, route and HTTP status.',
    labelNames: ['method', 'route', 'status'],
    registers: [this.#registry],
  });
  readonly #requestTimes = new Histogram({
    name: 'shop_request_seconds',
    help: 'Time from a request to the end of its answer, by route. Event streams are left out.',
    labelNames: ['route'],
    buckets: [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [this.#registry],
  });
  readonly #deliveries = new Counter({
    name: 'shop_webhook_deliveries_total',
    help: 'Webhooks received, by what became of them.',
    labelNames: ['result'],
    registers: [this.#registry],
  });
  readonly #confirms = new Counter({
    name: 'shop_confirms_total',
    help: 'Confirms that asked the service, by what began them and by result.',
    labelNames: ['trigger', 'result'],
    registers: [this.#registry],
  });
  readonly #calls = new Histogram({
    name: 'shop_service_call_seconds',
    help: 'Verify calls to the payment service, by result; not_asked where none was made.',
    labelNames: ['result'],
    buckets: [0.01, 0.05, 0.1, 0.5, 1, 2, 5, 10],
    registers: [this.#registry],
  });
  readonly #fulfilmentCalls = new Counter({
    name: 'shop_fulfilment_calls_total',
    help: 'Calls of the function that hands an order over, by result.',
    labelNames: ['result'],
    registers: [this.#registry],
  });
  readonly #alerts = new Counter({
    name: 'shop_alerts_total',
    help: 'Times that somebody was asked to act, by reason.',
    labelNames: ['reason'],
    registers: [this.#registry],
  });
  readonly #circuit = new Gauge({
    name: 'shop_service_circuit',
    help: '1 at the state of the circuit to the payment service, 0 at the others.',
    labelNames: ['state'],
    registers: [this.#registry],
  });
  readonly #streams = new Gauge({
    name: 'shop_event_streams',
    help: 'Event streams open in this process.',
    registers: [this.#registry],
  });
  #sources: Partial<MetricsSources> = {};
  #lastCall: ServiceStanding = 'unknown';

  /**
   * `keptMs`: for how long figures of the database are shown again without asking it. A test that
   * changes rows between two looks sets 0.
   */
  constructor({ keptMs = 5_000 } = {}) {
    const latest = new LatestFigures(async () => this.#sources.figures!(), keptMs);
    registerFigures(this.#registry, async () => this.#sources.figures && latest.find());
    collectDefaultMetrics({ register: this.#registry });
    // What has not happened yet counts as 0 from the start: an alert rule sees the first one only
    // as a step up from there.
    for (const result of DELIVERY_RESULTS) this.#deliveries.inc({ result }, 0);
    for (const trigger of TRIGGERS) this.#confirms.inc({ trigger, result: 'paid' }, 0);
    for (const result of FULFILMENT_RESULTS) this.#fulfilmentCalls.inc({ result }, 0);
    for (const reason of ALERT_REASONS) this.#alerts.inc({ reason }, 0);
    for (const status of ORDER_STATUSES)
      this.#requests.inc({ method: 'POST', route: '/api/orders', status }, 0);
  }

  /** Says where gauges are read from. What nobody has named is left out. */
  watch(sources: Partial<MetricsSources>): void {
    this.#sources = { ...this.#sources, ...sources };
  }

  /** How the service was when it was last asked. */
  get lastCall(): ServiceStanding {
    return this.#lastCall;
  }

  /**
   * Counts an answer. `route` is a template such as `/api/payments/:reference/verify`, or `none`:
   * never the path that was asked for.
   */
  countRequest(request: { method: string; route: string; status: number; seconds?: number }): void {
    const { method, route, status, seconds } = request;
    this.#requests.inc({ method, route, status });
    if (seconds !== undefined) this.#requestTimes.observe({ route }, seconds);
  }

  countDelivery(result: DeliveryResult): void {
    this.#deliveries.inc({ result });
  }

  countConfirm(trigger: Trigger, result: ConfirmResult): void {
    this.#confirms.inc({ trigger, result });
  }

  countFulfilment(result: FulfilmentResult): void {
    this.#fulfilmentCalls.inc({ result });
  }

  /**
   * Call it for each that needs somebody, also where its line in the log is held back; of what
   * strangers send, only with its line.
   */
  countAlert(reason: AlertReason): void {
    this.#alerts.inc({ reason });
  }

  /** Times a verify call and remembers whether the service answered, where it was asked. */
  async timeCall<T>(call: () => Promise<T>): Promise<T> {
    const end = this.#calls.startTimer();
    try {
      const answer = await call();
      end({ result: 'answered' });
      this.#lastCall = 'reachable';
      return answer;
    } catch (error) {
      const { code, wasAsked } =
        error instanceof ServiceCallError ? error : { code: 'error', wasAsked: true };
      end({ result: wasAsked ? code : 'not_asked' });
      if (wasAsked) this.#lastCall = code === 'token_refused' ? 'token-refused' : 'unreachable';
      throw error;
    }
  }

  /**
   * Every figure as text, within a second or so whatever the database does: what it did not say is
   * left out, and not zero.
   */
  async text(): Promise<{ type: string; body: string }> {
    const { circuit, eventStreams } = this.#sources;
    if (eventStreams) this.#streams.set(eventStreams());
    if (circuit)
      for (const state of ['closed', 'half-open', 'open'] as const)
        this.#circuit.set({ state }, circuit() === state ? 1 : 0);
    return { type: this.#registry.contentType, body: await this.#registry.metrics() };
  }
}
