import { EventEmitter } from 'node:events';

/** Tells those who watch a payment, in this process, that it moved: they read it again. */
export class PaymentFeed {
  readonly #events = new EventEmitter().setMaxListeners(0);

  tell(reference: string): void {
    this.#events.emit(`payment:${reference}`);
    this.#events.emit('any');
  }

  /** Watches one payment until the function it gives is called. */
  watch(reference: string, listener: () => void): () => void {
    return this.#listen(`payment:${reference}`, listener);
  }

  /** Watches every payment until the function it gives is called. */
  watchAll(listener: () => void): () => void {
    return this.#listen('any', listener);
  }

  #listen(event: string, listener: () => void): () => void {
    this.#events.on(event, listener);
    return () => void this.#events.off(event, listener);
  }
}
