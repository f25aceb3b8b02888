import { toServerSentEvent } from '@service-pay/contract/server-sent-event';
import type { Request, Response } from 'express';
import { ipKeyGenerator } from 'express-rate-limit';

import { PaymentsError } from '../errors.ts';
import type { ShownPayment } from '../payments/payment.ts';
import { type Clock, repeat } from '../support/clock.ts';

const HEARTBEAT_MS = 15_000;
const LONGEST_MS = 30 * 60_000;
const RECONNECT_MS = 3_000;

/** A mobile network lends one address to many customers. */
const MOST_STREAMS = 5_000;
const MOST_PER_ADDRESS = 2_000;

/** A reader further behind than this is cut off. It reads the state again when it connects again. */
const MOST_UNREAD_BYTES = 64 * 1024;
const MOST_UNREAD_HEARTBEATS = 3;

export class EventStreams {
  readonly #ends = new Set<() => void>();
  readonly #perAddress = new Map<string, number>();
  readonly #clock: Clock;
  readonly #mostPerAddress: number;
  #areOver = false;

  constructor(clock: Clock, { perAddress = MOST_PER_ADDRESS } = {}) {
    this.#clock = clock;
    this.#mostPerAddress = perAddress;
  }

  get size(): number {
    return this.#ends.size;
  }

  /**
   * Answers a request with each state that `watch` yields, and resolves when the stream has ended.
   * Fails with `too_many_requests`, and with `stopping` once all were ended.
   */
  async open(
    req: Request,
    res: Response,
    watch: (signal: AbortSignal) => AsyncIterable<ShownPayment>,
  ): Promise<void> {
    if (res.closed) return;
    if (this.#areOver)
      throw new PaymentsError('stopping', 'The shop is stopping: connect again in a moment.');
    const address = ipKeyGenerator(req.ip ?? '');
    const ofAddress = this.#perAddress.get(address) ?? 0;
    if (this.size >= MOST_STREAMS || ofAddress >= this.#mostPerAddress) {
      throw new PaymentsError(
        'too_many_requests',
        'Too many event streams are open: close one, or ask again later.',
        { retryAfterSeconds: 60 },
      );
    }
    const ending = new AbortController();
    const end = () => ending.abort();
    res.once('close', end);
    this.#ends.add(end);
    this.#perAddress.set(address, ofAddress + 1);
    const stops = [
      repeat(this.#clock, HEARTBEAT_MS, buildBeat(res)),
      this.#clock.after(LONGEST_MS, end),
    ];
    // asks a peer that is silent for 5 s twice whether it is there
    req.socket.setKeepAlive(true, 5_000, 2_000, 2);
    res.set({
      'Content-Type': 'text/event-stream',
      'Cache-Control': 'no-store',
      'X-Accel-Buffering': 'no',
    });
    res.write(`retry: ${RECONNECT_MS}\n\n`);
    try {
      for await (const shown of watch(ending.signal)) {
        res.write(toServerSentEvent('payment', shown));
        if (res.writableLength > MOST_UNREAD_BYTES) res.destroy();
      }
      res.end();
    } finally {
      for (const stop of stops) stop();
      this.#ends.delete(end);
      const left = (this.#perAddress.get(address) ?? 1) - 1;
      if (left) this.#perAddress.set(address, left);
      else this.#perAddress.delete(address);
    }
  }

  /** Ends every stream and begins no other: a server that stops would wait for them. */
  endAll(): void {
    this.#areOver = true;
    for (const end of this.#ends) end();
  }
}

function buildBeat(res: Response): () => Promise<void> {
  let unread = 0;
  return async () => {
    unread = res.writableLength > 0 ? unread + 1 : 0;
    if (unread === MOST_UNREAD_HEARTBEATS) res.destroy();
    else res.write(': still here\n\n');
  };
}
