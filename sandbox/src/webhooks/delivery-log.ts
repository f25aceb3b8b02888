import type { Records } from '../storage/state.ts';
import type { KeptAttempt, KeptDelivery } from './delivery.ts';

/**
 * Answers longer than `from` are kept up to `inAll` characters together: beyond that the oldest
 * make room.
 */
const LONG_ANSWERS = { from: 1024, inAll: 16 * 1024 * 1024 } as const;

/** The deliveries that are kept: all that go on, and of those that ended the newest. */
export class DeliveryLog {
  readonly #limit: number;
  /** Oldest first, as are the two below. */
  readonly #deliveries = new Map<string, KeptDelivery>();
  readonly #ended = new Set<string>();
  readonly #longAnswers = new Set<{
    readonly id: string;
    readonly attempt: number;
    readonly size: number;
  }>();
  #longAnswersSize = 0;

  /** Each delivery under its id. */
  readonly records: Records = {
    onChange: () => undefined,
    find: (id) => this.#deliveries.get(id),
  };

  /** Keeps `limit` deliveries that ended. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Keeps a delivery, whatever it has been through. */
  add(delivery: KeptDelivery): void {
    const { id, attempts, status } = delivery;
    this.#deliveries.set(id, delivery);
    this.keep(delivery);
    for (const [at, attempt] of attempts.entries()) this.#keepAnswer(id, at, attempt);
    if (status !== 'waiting') this.end(delivery, status);
  }

  /** Notes that a delivery has changed. */
  keep({ id }: KeptDelivery): void {
    this.records.onChange(id);
  }

  /** Gives a kept delivery one more attempt. */
  addAttempt(delivery: KeptDelivery, attempt: KeptAttempt): void {
    const at = delivery.attempts.push(attempt) - 1;
    this.keep(delivery);
    this.#keepAnswer(delivery.id, at, attempt);
  }

  /** Ends a kept delivery; one that ended earlier may make room for it. */
  end(delivery: KeptDelivery, status: KeptDelivery['status']): void {
    delivery.status = status;
    delivery.plan = null;
    if (!this.has(delivery.id)) return;
    this.keep(delivery);
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

  /** All that are kept, oldest first. */
  all(): KeptDelivery[] {
    return [...this.#deliveries.values()];
  }

  /** Those about one collection, oldest first. */
  about(merchant: string, reference: string): KeptDelivery[] {
    return this.all().filter(
      (delivery) => delivery.reference === reference && delivery.merchant === merchant,
    );
  }

  /** Ids of those that repeat no other, of one reference or of all, oldest first. */
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
    this.#longAnswers.clear();
    this.#longAnswersSize = 0;
  }

  #keepAnswer(id: string, attempt: number, { body }: KeptAttempt): void {
    const size = body?.length ?? 0;
    if (size <= LONG_ANSWERS.from) return;
    this.#longAnswers.add({ id, attempt, size });
    this.#longAnswersSize += size;
    for (const oldest of this.#longAnswers) {
      if (this.#longAnswersSize <= LONG_ANSWERS.inAll) return;
      this.#longAnswersSize -= oldest.size;
      this.#longAnswers.delete(oldest);
      this.#dropAnswer(oldest.id, oldest.attempt);
    }
  }

  #dropAnswer(id: string, attempt: number): void {
    const delivery = this.#deliveries.get(id);
    if (!delivery) return;
    delivery.attempts[attempt]!.body = null;
    this.keep(delivery);
  }
}
