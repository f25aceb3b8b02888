const MOST_REMEMBERED = 10_000;

/** The status that the service last answered for a payment; null if nobody has tried to pay it. */
export class ServiceAnswers {
  readonly #statuses = new Map<string, string | null>();

  note(reference: string, status: string | null): void {
    this.#statuses.delete(reference);
    this.#statuses.set(reference, status);
    const [oldest] = this.#statuses.keys();
    if (this.#statuses.size > MOST_REMEMBERED) this.#statuses.delete(oldest!);
  }

  find(reference: string): string | null | undefined {
    return this.#statuses.get(reference);
  }
}
