/** Tells those who watch a payment, in this process, that it moved: they read it again. */
export class PaymentFeed {
  readonly #watchers = new Map<string, Set<() => void>>();
  readonly #watchersOfAll = new Set<(reference: string) => void>();

  get watched(): string[] {
    return [...this.#watchers.keys()];
  }

  /** Reports a payment that this process moved. */
  tell(reference: string): void {
    this.hear(reference);
    for (const listener of [...this.#watchersOfAll]) listener(reference);
  }

  /** Reports a payment that another process moved, or may have moved. */
  hear(reference: string): void {
    for (const listener of [...(this.#watchers.get(reference) ?? [])]) listener();
  }

  watch(reference: string, listener: () => void): () => void {
    const listeners = this.#watchers.get(reference) ?? new Set();
    this.#watchers.set(reference, listeners.add(listener));
    return () => {
      if (listeners.delete(listener) && listeners.size === 0) this.#watchers.delete(reference);
    };
  }

  watchAll(listener: (reference: string) => void): () => void {
    this.#watchersOfAll.add(listener);
    return () => void this.#watchersOfAll.delete(listener);
  }
}
