/** Notifies watchers in this process which order changed, so that they read it again. */
export class PaymentFeed {
  readonly #listeners = new Set<(orderId: string) => void>();

  tell(orderId: string): void {
    for (const listener of this.#listeners) listener(orderId);
  }

  watch(listener: (orderId: string) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
}
