import type { Request, Response } from 'express';

import { ApiError } from './api-error.ts';
import { type Clock, repeat } from './clock.ts';
import type { ShownPayment } from './payment-routes.ts';

const HEARTBEAT_MS = 15_000;
const LONGEST_MS = 30 * 60_000;
const RECONNECT_MS = 3_000;

/** How many streams there may be, and how many of one browser: its tabs, with room to spare. */
const MOST_STREAMS = 5_000;
const MOST_PER_BROWSER = 20;

/** A reader further behind than this is cut off: it reads the state again when it connects again. */
const MOST_UNREAD_BYTES = 64 * 1024;

/** Where a stream's events come from. */
export interface EventSource {
  read: () => Promise<ShownPayment | undefined>;
  /** Calls the listener when it may be worth reading again, until the function it gives is called. */
  watch: (listener: () => void) => () => void;
}

/** Every open event stream of this process, so that each can be counted and all can be ended. */
export class EventStreams {
  readonly #open = new Map<Response, { browserId: string; end: () => void }>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Answers a request with a stream that tells the state at once, at each change, and again with each heartbeat. Throws `too_many_requests`. */
  open(req: Request, res: Response, browserId: string, source: EventSource): void {
    const ofBrowser = [...this.#open.values()].filter((stream) => stream.browserId === browserId).length;
    if (this.#open.size >= MOST_STREAMS || ofBrowser >= MOST_PER_BROWSER) {
      throw new ApiError('too_many_requests', 'Too many event streams are open: close one, or ask again later.', { retryAfterSeconds: 60 });
    }
    req.socket.setKeepAlive(true, HEARTBEAT_MS);
    res.set({ 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store', 'X-Accel-Buffering': 'no' });
    res.write(`retry: ${RECONNECT_MS}\n\n`);

    let told = '';
    const end = () => void res.end();
    const tell = async () => {
      const payment = await source.read().catch(() => undefined);
      const data = payment ? JSON.stringify(payment) : '';
      if (!payment || data === told) return;
      told = data;
      send(`event: payment\ndata: ${data}\n\n`);
      if (payment.status !== 'pending') end();
    };
    const send = (text: string) => {
      if (res.writableEnded) return;
      res.write(text);
      if (res.writableLength > MOST_UNREAD_BYTES) res.destroy();
    };

    const stops = [
      source.watch(() => void tell()),
      repeat(this.#clock, HEARTBEAT_MS, async () => {
        send(': still here\n\n');
        await tell();
      }),
      this.#clock.after(LONGEST_MS, end),
    ];
    this.#open.set(res, { browserId, end });
    res.once('close', () => {
      this.#open.delete(res);
      for (const stop of stops) stop();
    });
    void tell();
  }

  /** Ends every stream: a server that stops would wait for them for ever. */
  endAll(): void {
    for (const { end } of this.#open.values()) end();
  }
}
