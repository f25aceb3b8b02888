import type { Treatment } from '../faults/treatment.ts';
import type { KeptDelivery } from './delivery.ts';

/**
 * Deliveries held back until another has been attempted. The order is fixed as soon as the other
 * exists, however slow the responses, so that the same calls give the same order.
 */
export class HeldDeliveries {
  /** Deliveries that wait for one that does not exist yet. */
  readonly #alone = new Set<KeptDelivery>();
  readonly #behind = new Map<string, KeptDelivery[]>();

  /** If two deliveries would wait for each other, the second goes first. */
  avoidDeadlock(merchant: string, treatment: Treatment): Treatment {
    const isAwaited = [...this.#alone].some(
      (held) => held.merchant === merchant && held.treatment.waitsFor === 'next',
    );
    if (treatment.waitsFor !== 'next' || !isAwaited) return treatment;
    const { waitsFor: _, ...others } = treatment;
    return others;
  }

  /** Lets the deliveries that wait for one like this wait for it, and returns them. */
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

  hold(delivery: KeptDelivery): void {
    delivery.isHeld = true;
    if (delivery.behind === null) this.#alone.add(delivery);
    else
      this.#behind.set(delivery.behind, [...(this.#behind.get(delivery.behind) ?? []), delivery]);
  }

  release(delivery: KeptDelivery): void {
    delivery.isHeld = false;
    this.#alone.delete(delivery);
  }

  releaseBehind({ id }: KeptDelivery): KeptDelivery[] {
    const released = (this.#behind.get(id) ?? []).filter(({ isHeld }) => isHeld);
    this.#behind.delete(id);
    for (const held of released) this.release(held);
    return released;
  }

  clear(): void {
    this.#alone.clear();
    this.#behind.clear();
  }
}
