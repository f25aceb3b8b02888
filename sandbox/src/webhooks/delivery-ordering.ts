import type { KeptDelivery, Treatment } from './delivery.ts';

/**
 * Deliveries held back until another has been tried. Who waits for whom is decided as soon as the
 * other is there, however long answers take, so that the same calls give the same order.
 */
export class HeldDeliveries {
  /** Held back for one that is not there yet; and by its id, for one that is. */
  readonly #alone = new Set<KeptDelivery>();
  readonly #behind = new Map<string, KeptDelivery[]>();

  /**
   * Of two that would each wait for the other, the second goes first: gives back how it is to be
   * treated.
   */
  takeTurns(merchant: string, treatment: Treatment): Treatment {
    const isAwaited = [...this.#alone].some(
      (held) => held.merchant === merchant && held.treatment.waitsFor === 'next',
    );
    if (treatment.waitsFor !== 'next' || !isAwaited) return treatment;
    const { waitsFor: _, ...others } = treatment;
    return others;
  }

  /** Lets those that wait for a delivery like this one wait for it from now on; returns them. */
  letPass({ id, merchant, reference, event }: KeptDelivery): KeptDelivery[] {
    const waiting: KeptDelivery[] = [];
    for (const held of this.#alone) {
      const { waitsFor } = held.treatment;
      if (
        held.merchant !== merchant ||
        !(waitsFor === 'next' || (waitsFor === event && held.reference === reference))
      )
        continue;
      this.#alone.delete(held);
      held.behind = id;
      this.hold(held);
      waiting.push(held);
    }
    return waiting;
  }

  /** Holds a delivery back. */
  hold(delivery: KeptDelivery): void {
    delivery.isHeld = true;
    if (delivery.behind === null) this.#alone.add(delivery);
    else
      this.#behind.set(delivery.behind, [...(this.#behind.get(delivery.behind) ?? []), delivery]);
  }

  /** A delivery sets out, be it that it has waited for too long. */
  letGo(delivery: KeptDelivery): void {
    delivery.isHeld = false;
    this.#alone.delete(delivery);
  }

  /** Lets go those that waited for this delivery to be tried. */
  release({ id }: KeptDelivery): KeptDelivery[] {
    const released = (this.#behind.get(id) ?? []).filter(({ isHeld }) => isHeld);
    this.#behind.delete(id);
    for (const held of released) this.letGo(held);
    return released;
  }

  clear(): void {
    this.#alone.clear();
    this.#behind.clear();
  }
}
