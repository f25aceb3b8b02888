import { Counter, Histogram, Registry } from 'prom-client';

import { ServiceCallError } from './service-client.ts';

/** What the shop counts, for `GET /metrics`. Labels are few and fixed: no reference, no address, no path (T79). */
export class Metrics {
  readonly #registry = new Registry();
  readonly #requests = new Counter({
    name: 'shop_requests_total',
    help: 'Requests answered, by HTTP status.',
    labelNames: ['status'],
    registers: [this.#registry],
  });
  readonly #calls = new Histogram({
    name: 'shop_service_call_seconds',
    help: 'Verify calls to the payment service, by result.',
    labelNames: ['result'],
    buckets: [0.01, 0.05, 0.1, 0.5, 1, 2, 5, 10],
    registers: [this.#registry],
  });
  #lastCall: 'unknown' | 'reachable' | 'unreachable' = 'unknown';

  /** How the service was when it was last asked. */
  get lastCall(): 'unknown' | 'reachable' | 'unreachable' {
    return this.#lastCall;
  }

  countRequest(status: number): void {
    this.#requests.inc({ status });
  }

  /** Times a verify call and remembers whether the service answered. */
  async timeCall<T>(call: () => Promise<T>): Promise<T> {
    const end = this.#calls.startTimer();
    try {
      const answer = await call();
      end({ result: 'answered' });
      this.#lastCall = 'reachable';
      return answer;
    } catch (error) {
      end({ result: error instanceof ServiceCallError ? error.code : 'error' });
      this.#lastCall = 'unreachable';
      throw error;
    }
  }

  async text(): Promise<{ type: string; body: string }> {
    return { type: this.#registry.contentType, body: await this.#registry.metrics() };
  }
}
