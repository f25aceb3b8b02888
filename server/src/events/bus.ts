/** Tells those who watch a payment, in this process, that it moved: they read it again. */
export class PaymentFeed {
  readonly #watchers = new Map<string, Set<() => void>>();
  readonly #watchersOfAll = new Set<() => void>();

  get watched(): string[] {
    return [...this.#watchers.keys()];
  }

  /** Reports a payment that moved, or may have moved. */
  tell(reference: string): void {
    const watchers = this.#watchers.get(reference) ?? [];
    for (const listener of [...watchers, ...this.#watchersOfAll]) listener();
  }

  watch(reference: string, listener: () => void): () => void {
    const listeners = this.#watchers.get(reference) ?? new Set();
    this.#watchers.set(reference, listeners.add(listener));
    return () => {
      if (listeners.delete(listener) && listeners.size === 0) this.#watchers.delete(reference);
    };
  }

  watchAll(listener: () => void): () => void {
    this.#watchersOfAll.add(listener);
    return () => void this.#watchersOfAll.delete(listener);
  }
}
