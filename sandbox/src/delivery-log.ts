import type { KeptAttempt, KeptDelivery } from './delivery.ts';

/** Answers longer than `from` are kept up to `inAll` characters together: beyond that the oldest make room. */
const LONG_ANSWERS = { from: 1024, inAll: 16 * 1024 * 1024 } as const;

/** The deliveries that are kept: all that go on, and of those that ended the newest. */
export class DeliveryLog {
  readonly #limit: number;
  /** Oldest first, as are the two below. */
  readonly #deliveries = new Map<string, KeptDelivery>();
  readonly #ended = new Set<KeptDelivery>();
  readonly #longAnswers = new Set<KeptAttempt>();
  #longAnswersSize = 0;

  /** Keeps `limit` deliveries that ended. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Keeps a delivery, whatever it has been through. */
  add(delivery: KeptDelivery): void {
    this.#deliveries.set(delivery.id, delivery);
    for (const attempt of delivery.attempts) this.#keepAnswer(attempt);
    if (delivery.status !== 'waiting') this.#ended.add(delivery);
  }

  /** Gives a kept delivery one more attempt. */
  addAttempt(delivery: KeptDelivery, attempt: KeptAttempt): void {
    delivery.attempts.push(attempt);
    this.#keepAnswer(attempt);
  }

  /** A kept delivery is over; one that has been over for longer may make room for it. */
  end(delivery: KeptDelivery, status: KeptDelivery['status']): void {
    delivery.status = status;
    delivery.plan = null;
    this.#ended.add(delivery);
    const [oldest] = this.#ended;
    if (!oldest || this.#ended.size <= this.#limit) return;
    this.#ended.delete(oldest);
    this.#deliveries.delete(oldest.id);
  }

  find(id: string): KeptDelivery | undefined {
    return this.#deliveries.get(id);
  }

  /** All that are kept, oldest first. */
  all(): KeptDelivery[] {
    return [...this.#deliveries.values()];
  }

  clear(): void {
    this.#deliveries.clear();
    this.#ended.clear();
    this.#longAnswers.clear();
    this.#longAnswersSize = 0;
  }

  #keepAnswer(attempt: KeptAttempt): void {
    const size = attempt.body?.length ?? 0;
    if (size <= LONG_ANSWERS.from) return;
    this.#longAnswers.add(attempt);
    this.#longAnswersSize += size;
    for (const oldest of this.#longAnswers) {
      if (this.#longAnswersSize <= LONG_ANSWERS.inAll) return;
      this.#longAnswersSize -= oldest.body!.length;
      this.#longAnswers.delete(oldest);
      oldest.body = null;
    }
  }
}
