import type { PaymentName } from '../storage/payment-key.ts';
import type { Records } from '../storage/state.ts';
import type { KeptAttempt, KeptDelivery } from './delivery.ts';

/** Responses longer than `from` share `inAll` characters; beyond that the oldest are dropped. */
const LONG_RESPONSES = { from: 1024, inAll: 16 * 1024 * 1024 } as const;

/** Keeps every unfinished delivery, and the newest finished ones. */
export class DeliveryLog {
  readonly #limit: number;
  readonly #deliveries = new Map<string, KeptDelivery>();
  readonly #ended = new Set<string>();
  readonly #longResponses = new Set<{
    readonly id: string;
    readonly attempt: number;
    readonly size: number;
  }>();
  #longResponsesSize = 0;

  readonly records: Records = {
    onChange: () => undefined,
    find: (id) => this.#deliveries.get(id),
  };

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(delivery: KeptDelivery): void {
    const { id, attempts, status } = delivery;
    this.#deliveries.set(id, delivery);
    this.markChanged(delivery);
    for (const [at, attempt] of attempts.entries()) this.#keepResponse(id, at, attempt);
    if (status !== 'waiting') this.end(delivery, status);
  }

  markChanged({ id }: KeptDelivery): void {
    this.records.onChange(id);
  }

  addAttempt(delivery: KeptDelivery, attempt: KeptAttempt): void {
    const at = delivery.attempts.push(attempt) - 1;
    this.markChanged(delivery);
    this.#keepResponse(delivery.id, at, attempt);
  }

  end(delivery: KeptDelivery, status: KeptDelivery['status']): void {
    delivery.status = status;
    delivery.plan = null;
    if (!this.has(delivery.id)) return;
    this.markChanged(delivery);
    this.#ended.add(delivery.id);
    const [oldest] = this.#ended;
    if (oldest === undefined || this.#ended.size <= this.#limit) return;
    this.#ended.delete(oldest);
    this.#deliveries.delete(oldest);
    this.records.onChange(oldest);
  }

  has(id: string): boolean {
    return this.#deliveries.has(id);
  }

  find(id: string): KeptDelivery | undefined {
    return this.#deliveries.get(id);
  }

  all(): KeptDelivery[] {
    return [...this.#deliveries.values()];
  }

  about({ merchant, reference }: PaymentName): KeptDelivery[] {
    return this.all().filter(
      (delivery) => delivery.reference === reference && delivery.merchant === merchant,
    );
  }

  /** Ids of deliveries that copy no other, of one reference or all, oldest first. */
  originals(reference: string | undefined): string[] {
    return this.all()
      .filter((delivery) => delivery.repeats === null)
      .filter((delivery) => reference === undefined || delivery.reference === reference)
      .map(({ id }) => id);
  }

  clear(): void {
    for (const id of this.#deliveries.keys()) this.records.onChange(id);
    this.#deliveries.clear();
    this.#ended.clear();
    this.#longResponses.clear();
    this.#longResponsesSize = 0;
  }

  #keepResponse(id: string, attempt: number, { body }: KeptAttempt): void {
    const size = body?.length ?? 0;
    if (size <= LONG_RESPONSES.from) return;
    this.#longResponses.add({ id, attempt, size });
    this.#longResponsesSize += size;
    for (const oldest of this.#longResponses) {
      if (this.#longResponsesSize <= LONG_RESPONSES.inAll) return;
      this.#longResponsesSize -= oldest.size;
      this.#longResponses.delete(oldest);
      this.#dropResponse(oldest.id, oldest.attempt);
    }
  }

  #dropResponse(id: string, attempt: number): void {
    const delivery = this.#deliveries.get(id);
    if (!delivery) return;
    delivery.attempts[attempt]!.body = null;
    this.markChanged(delivery);
  }
}
