import { packDelivery, unpackDelivery } from '../storage/delivery-record.ts';
import type { KeptAttempt, KeptDelivery } from './delivery.ts';

/**
 * Answers longer than `from` are kept up to `inAll` characters together: beyond that the oldest
 * make room.
 */
const LONG_ANSWERS = { from: 1024, inAll: 16 * 1024 * 1024 } as const;

/**
 * Where one delivery is kept: as itself while it goes on, packed once it has ended. Beside it
 * stands what lists are chosen by.
 */
interface Place {
  readonly merchant: string;
  readonly reference: string;
  readonly isOriginal: boolean;
  waiting: KeptDelivery | null;
  ended: string;
}

/**
 * The deliveries that are kept: all that go on, and of those that ended the newest. One that has
 * ended comes as a copy each time it is asked for, and does not change any more.
 */
export class DeliveryLog {
  readonly #limit: number;
  /** Oldest first, as are the two below. */
  readonly #places = new Map<string, Place>();
  readonly #ended = new Set<string>();
  readonly #longAnswers = new Set<{
    readonly id: string;
    readonly attempt: number;
    readonly size: number;
  }>();
  #longAnswersSize = 0;

  /** Keeps `limit` deliveries that ended. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Keeps a delivery, whatever it has been through. */
  add(delivery: KeptDelivery): void {
    const { id, merchant, reference, repeats, attempts, status } = delivery;
    this.#places.set(id, {
      merchant,
      reference,
      isOriginal: repeats === null,
      waiting: delivery,
      ended: '',
    });
    for (const [at, attempt] of attempts.entries()) this.#keepAnswer(id, at, attempt);
    if (status !== 'waiting') this.end(delivery, status);
  }

  /** Gives a kept delivery one more attempt. */
  addAttempt(delivery: KeptDelivery, attempt: KeptAttempt): void {
    const at = delivery.attempts.push(attempt) - 1;
    this.#keepAnswer(delivery.id, at, attempt);
  }

  /** A kept delivery is over; one that has been over for longer may make room for it. */
  end(delivery: KeptDelivery, status: KeptDelivery['status']): void {
    delivery.status = status;
    delivery.plan = null;
    const place = this.#places.get(delivery.id);
    if (!place) return;
    place.waiting = null;
    place.ended = packDelivery(delivery);
    this.#ended.add(delivery.id);
    const [oldest] = this.#ended;
    if (oldest === undefined || this.#ended.size <= this.#limit) return;
    this.#ended.delete(oldest);
    this.#places.delete(oldest);
  }

  has(id: string): boolean {
    return this.#places.has(id);
  }

  find(id: string): KeptDelivery | undefined {
    const place = this.#places.get(id);
    return place && read(place);
  }

  /** All that are kept, oldest first. */
  all(): KeptDelivery[] {
    return [...this.#places.values()].map(read);
  }

  /** Those about one collection, oldest first. */
  about(merchant: string, reference: string): KeptDelivery[] {
    return [...this.#places.values()]
      .filter((place) => place.reference === reference && place.merchant === merchant)
      .map(read);
  }

  /** Ids of those that repeat no other, of one reference or of all, oldest first. */
  originals(reference: string | undefined): string[] {
    const originals = [...this.#places].filter(([, { isOriginal }]) => isOriginal);
    return originals
      .filter(([, place]) => reference === undefined || place.reference === reference)
      .map(([id]) => id);
  }

  /** All that are kept, oldest first, each packed. */
  packed(): string[] {
    return [...this.#places.values()].map(({ waiting, ended }) =>
      waiting ? packDelivery(waiting) : ended,
    );
  }

  clear(): void {
    this.#places.clear();
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
    const place = this.#places.get(id);
    if (!place) return;
    const delivery = read(place);
    delivery.attempts[attempt]!.body = null;
    if (!place.waiting) place.ended = packDelivery(delivery);
  }
}

function read({ waiting, ended }: Place): KeptDelivery {
  return waiting ?? unpackDelivery(ended);
}
