/** Stands for every payment: no reference has this character. */
const ALL = '*';

/** Tells those who watch a payment, in this process, that it moved: they read it again. */
export class PaymentFeed {
  readonly #watchers = new Map<string, Set<() => void>>();

  tell(reference: string): void {
    for (const watched of [reference, ALL])
      for (const listener of [...(this.#watchers.get(watched) ?? [])]) listener();
  }

  watch(reference: string, listener: () => void): () => void {
    const listeners = this.#watchers.get(reference) ?? new Set();
    this.#watchers.set(reference, listeners.add(listener));
    return () => {
      if (listeners.delete(listener) && listeners.size === 0) this.#watchers.delete(reference);
    };
  }

  watchAll(listener: () => void): () => void {
    return this.watch(ALL, listener);
  }
}
