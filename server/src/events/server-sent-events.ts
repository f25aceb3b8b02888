import type { Socket } from 'node:net';
import type { Request, Response } from 'express';
import { ipKeyGenerator } from 'express-rate-limit';

import { PaymentsError } from '../errors.ts';
import type { ShownPayment } from '../payments/payment.ts';
import { type Clock, repeat } from '../support/clock.ts';

const HEARTBEAT_MS = 15_000;
const LONGEST_MS = 30 * 60_000;
const RECONNECT_MS = 3_000;

/** A state that could not be read is read again after this. */
const READ_AGAIN_MS = 3_000;

/**
 * How many streams there may be, how many of one address, which a mobile network lends to many
 * customers, and how many of one browser: its tabs, with room to spare.
 */
const MOST_STREAMS = 5_000;
const MOST_PER_ADDRESS = 2_000;
const MOST_PER_BROWSER = 20;

/**
 * A reader further behind than this is cut off, and so is one that has taken nothing for three
 * heartbeats: it reads the state again when it connects again.
 */
const MOST_UNREAD_BYTES = 64 * 1024;
const MOST_UNREAD_HEARTBEATS = 3;

/** Where a stream's events come from. */
export interface EventSource {
  read: () => Promise<ShownPayment | undefined>;
  /**
   * Calls the listener when it may be worth reading again, until the function it gives is called.
   */
  watch: (listener: () => void) => () => void;
}

/** Every open event stream of this process, so that each can be counted and all can be ended. */
export class EventStreams {
  readonly #ends = new Set<() => void>();
  /** How many each browser and each address has open. */
  readonly #held = new Map<string, number>();
  readonly #clock: Clock;
  readonly #perAddress: number;
  #areOver = false;

  /** `perAddress` is for a test, which opens fewer: no setting reaches it. */
  constructor(clock: Clock, { perAddress = MOST_PER_ADDRESS } = {}) {
    this.#clock = clock;
    this.#perAddress = perAddress;
  }

  /** How many are open. */
  get size(): number {
    return this.#ends.size;
  }

  /**
   * Answers a request with a stream that tells the state at once, at each change, and again with
   * each heartbeat. Throws `too_many_requests`, and `stopping` once all were ended.
   */
  open(req: Request, res: Response, owner: string, source: EventSource): void {
    if (res.closed) return; // its reader has gone, and nobody would tell us so again
    if (this.#areOver)
      throw new PaymentsError('stopping', 'The shop is stopping: connect again in a moment.');
    const browser = `browser ${owner}`;
    const address = `address ${ipKeyGenerator(req.ip ?? '')}`; // cookies cost nothing
    const held = (holder: string) => this.#held.get(holder) ?? 0;
    if (
      this.size >= MOST_STREAMS ||
      held(browser) >= MOST_PER_BROWSER ||
      held(address) >= this.#perAddress
    ) {
      throw new PaymentsError(
        'too_many_requests',
        'Too many event streams are open: close one, or ask again later.',
        { retryAfterSeconds: 60 },
      );
    }
    keepAlive(req.socket);
    res.set({
      'Content-Type': 'text/event-stream',
      'Cache-Control': 'no-store',
      'X-Accel-Buffering': 'no',
    });
    res.write(`retry: ${RECONNECT_MS}\n\n`);

    const end = () => void res.end();
    const send = (text: string) => {
      if (res.writableEnded) return;
      res.write(text);
      if (res.writableLength > MOST_UNREAD_BYTES) res.destroy();
    };
    const tell = this.#buildTell(source, res, send, end);
    const stops = [
      source.watch(tell),
      this.#beat(res, () => {
        send(': still here\n\n');
        tell();
      }),
      this.#clock.after(LONGEST_MS, end),
      this.#count([browser, address], end),
    ];
    res.once('close', () => {
      for (const stop of stops) stop();
    });
    tell();
  }

  /** Ends every stream and begins no other: a server that stops would wait for them for ever. */
  endAll(): void {
    this.#areOver = true;
    for (const end of this.#ends) end();
  }

  /**
   * One look at a time: a change that comes during one is looked at after it. Nothing is told
   * twice.
   */
  #buildTell(
    source: EventSource,
    res: Response,
    send: (text: string) => void,
    end: () => void,
  ): () => void {
    const clock = this.#clock;
    let told = '';
    let isReading = false;
    let isStale = false;
    let callOff = () => {};
    res.once('close', () => callOff());
    return tell;

    function tell(): void {
      isStale = !res.closed;
      if (!isReading) void readOn();
    }

    async function readOn(): Promise<void> {
      isReading = true;
      while (isStale) {
        isStale = false;
        const payment = await source.read().catch(readAgainSoon);
        const data = payment ? JSON.stringify(payment) : told;
        if (data !== told) send(`event: payment\ndata: ${data}\n\n`);
        told = data;
        if (payment && payment.status !== 'pending') end();
      }
      isReading = false;
    }

    /**
     * One timer, however many reads fail: else each heartbeat would begin a chain of its own that
     * never ends.
     */
    function readAgainSoon(): undefined {
      callOff();
      if (!res.closed) callOff = clock.after(READ_AGAIN_MS, tell);
    }
  }

  #beat(res: Response, beat: () => void): () => void {
    let unread = 0;
    return repeat(this.#clock, HEARTBEAT_MS, async () => {
      unread = res.writableLength > 0 ? unread + 1 : 0;
      if (unread === MOST_UNREAD_HEARTBEATS) res.destroy();
      else beat();
    });
  }

  #count(holders: readonly string[], end: () => void): () => void {
    this.#ends.add(end);
    for (const holder of holders) this.#held.set(holder, (this.#held.get(holder) ?? 0) + 1);
    return () => {
      this.#ends.delete(end);
      for (const holder of holders) {
        const left = (this.#held.get(holder) ?? 1) - 1;
        if (left) this.#held.set(holder, left);
        else this.#held.delete(holder);
      }
    };
  }
}

/**
 * Has the system ask a peer that is silent for 5 s whether it is there, and give it up after two
 * answers that do not come (Node before 24 asks ten times). One that dies as a heartbeat is on its
 * way is given up by the system's own retransmission alone: Node cannot set that limit,
 * `net.ipv4.tcp_retries2` does.
 */
function keepAlive(socket: Socket): void {
  socket.setKeepAlive(true, 5_000, 2_000, 2);
}
