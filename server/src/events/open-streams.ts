import { PaymentsError } from '../errors.ts';
import { networkOf } from '../support/network-of.ts';

/** High, because many customers of a mobile network share one address. */
const MOST_STREAMS = 5_000;
const MOST_PER_ADDRESS = 2_000;

/**
 * Headers of an event stream. `no-transform` keeps layers from compressing it, which would delay
 * events (T144).
 */
export const EVENT_STREAM_HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
} as const;

/** Counts the event streams that are open (T121). */
export class OpenStreams {
  readonly #mostPerAddress: number;
  readonly #addresses: (string | undefined)[] = [];

  constructor(mostPerAddress = MOST_PER_ADDRESS) {
    this.#mostPerAddress = mostPerAddress;
  }

  /** Counts a stream until the signal aborts, or `begin` fails. */
  async hold<Stream>(
    address: string | undefined,
    signal: AbortSignal,
    begin: () => Promise<Stream>,
  ): Promise<Stream> {
    const remove = this.add(address);
    signal.addEventListener('abort', remove);
    if (signal.aborted) remove();
    return begin().catch((error: unknown) => {
      remove();
      throw error;
    });
  }

  /**
   * Counts a stream, also of its address if known, until the returned function is called. Fails
   * with `too_many_requests`.
   */
  add(ip: string | undefined): () => void {
    const address = ip && networkOf(ip);
    const ofAddress = this.#addresses.filter((other) => address && other === address).length;
    if (this.#addresses.length >= MOST_STREAMS || ofAddress >= this.#mostPerAddress) {
      const message = 'Too many event streams are open. Close one, or try again later.';
      throw new PaymentsError('too_many_requests', message, { retryAfterSeconds: 60 });
    }
    this.#addresses.push(address);
    let isCounted = true;
    return () => {
      if (isCounted) this.#addresses.splice(this.#addresses.indexOf(address), 1);
      isCounted = false;
    };
  }
}
