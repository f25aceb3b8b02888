import { isWaitingForCustomer } from '@service-pay/contract/collection';

/** How many payments are remembered. Each is one that somebody asked about lately. */
const MOST_REMEMBERED = 10_000;

/** The status that the service last gave this process for each payment. */
export class ServiceAnswers {
  readonly #statuses = new Map<string, string | null>();

  /** Remembers a status, or null when the service knows no collection with that reference. */
  note(reference: string, status: string | null): void {
    this.#statuses.delete(reference);
    this.#statuses.set(reference, status);
    const [oldest] = this.#statuses.keys();
    if (this.#statuses.size > MOST_REMEMBERED) this.#statuses.delete(oldest!);
  }

  /**
   * Returns true when the service last said that it knows no such collection: nobody has tried to
   * pay it.
   */
  isUntried(reference: string): boolean {
    return this.#statuses.get(reference) === null;
  }

  /** Returns true when the service last said that it waits for the customer. */
  isWaitingForCustomer(reference: string): boolean {
    return isWaitingForCustomer(this.#statuses.get(reference) ?? '');
  }
}
