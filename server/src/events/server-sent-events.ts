import type { Request, Response } from 'express';
import { ipKeyGenerator } from 'express-rate-limit';

import { PaymentsError } from '../errors.ts';

/** A mobile network lends one address to many customers. */
const MOST_STREAMS = 5_000;
const MOST_PER_ADDRESS = 2_000;

/** A reader further behind than this is cut off. It reads the state again when it connects again. */
const MOST_UNREAD_BYTES = 64 * 1024;

export class EventStreams {
  readonly #addresses: string[] = [];
  readonly #mostPerAddress: number;

  constructor({ perAddress = MOST_PER_ADDRESS } = {}) {
    this.#mostPerAddress = perAddress;
  }

  get size(): number {
    return this.#addresses.length;
  }

  /** Answers a request with the text of its events. Fails with `too_many_requests`. */
  async open(
    req: Request,
    res: Response,
    begin: (signal: AbortSignal) => Promise<AsyncIterable<string>>,
  ): Promise<void> {
    if (res.closed) return;
    const address = ipKeyGenerator(req.ip ?? '');
    const ofAddress = this.#addresses.filter((other) => other === address).length;
    if (this.size >= MOST_STREAMS || ofAddress >= this.#mostPerAddress) {
      throw new PaymentsError(
        'too_many_requests',
        'Too many event streams are open: close one, or ask again later.',
        { retryAfterSeconds: 60 },
      );
    }
    const ending = new AbortController();
    res.once('close', () => ending.abort());
    this.#addresses.push(address);
    try {
      const events = await begin(ending.signal);
      // asks a peer that is silent for 5 s twice whether it is there
      req.socket.setKeepAlive(true, 5_000, 2_000, 2);
      res.set({
        'Content-Type': 'text/event-stream',
        'Cache-Control': 'no-store',
        'X-Accel-Buffering': 'no',
      });
      if (req.method === 'HEAD') return void res.end();
      for await (const text of events) {
        res.write(text);
        if (res.writableLength > MOST_UNREAD_BYTES) res.destroy();
      }
      res.end();
    } finally {
      this.#addresses.splice(this.#addresses.indexOf(address), 1);
    }
  }
}
