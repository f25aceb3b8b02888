const MOST_REMEMBERED = 10_000;

/** The last status of each payment at the service; null if there was no attempt. */
export class ServiceResponses {
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
