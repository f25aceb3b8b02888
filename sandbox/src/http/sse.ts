import { toServerSentEvent } from '@service-pay/contract/server-sent-event';
import type { Request, Response } from 'express';
import * as v from 'valibot';
import type { Happening, History } from '../storage/history.ts';
import { pauseWhileRunning } from '../time/real-time.ts';
import { ApiError } from './api-error.ts';
import { parseInput } from './responses.ts';

const MOST_STREAMS = 100;

const HEARTBEAT_MS = 15_000;

/** Small enough that a slow reader exceeds its 64 kB only a little. */
const MOST_AT_ONCE = 50;

const WAIT_BEFORE_RETRY_S = 5;

const eventsQuerySchema = v.strictObject({
  last: v.optional(
    v.pipe(
      v.string(),
      v.regex(/^(?:0|[1-9][0-9]{0,2}|1000)$/, 'must be a whole number from 0 to 1000'),
    ),
    '0',
  ),
});

export interface EventStreamsDeps {
  history: History;
  heartbeatMs?: number;
}

export class EventStreams {
  readonly #history: History;
  readonly #heartbeatMs: number;
  readonly #open = new Set<EventStream>();

  constructor({ history, heartbeatMs = HEARTBEAT_MS }: EventStreamsDeps) {
    this.#history = history;
    this.#heartbeatMs = heartbeatMs;
  }

  /**
   * Opens a stream. `Last-Event-ID` resumes it after that event; if events in between are no longer
   * kept, the stream starts with `gap`. Otherwise it starts with the newest `last` events. Responds
   * with 503·10 if too many streams are open.
   */
  readonly respond = (req: Request, res: Response): void => {
    const { last } = parseInput(eventsQuerySchema, req.query);
    if (this.#open.size >= MOST_STREAMS) {
      res.setHeader('Retry-After', WAIT_BEFORE_RETRY_S);
      throw new ApiError(
        'busy',
        `${MOST_STREAMS} event streams are already open. Close one, or try again later.`,
      );
    }
    res.writeHead(200, {
      'Content-Type': 'text/event-stream; charset=utf-8',
      'Cache-Control': 'no-store, no-transform', // compression would delay events
      'X-Accel-Buffering': 'no',
    });
    if (req.method === 'HEAD') {
      res.end();
      return;
    }
    const stream = new EventStream(this.#history, res, {
      place: readPosition(this.#history, req),
      last: Number(last),
    });
    this.#open.add(stream);
    res.once('close', () => {
      stream.close();
      this.#open.delete(stream);
    });
    void stream.beat(this.#heartbeatMs);
  };

  close(): void {
    for (const stream of this.#open) stream.close();
  }
}

/**
 * One connected reader. It stores only a position, because unsent events are read from the history
 * when the reader can take them. It buffers at most 64 kB, and disconnects a reader that takes
 * nothing for a whole heartbeat.
 */
class EventStream {
  readonly #history: History;
  readonly #res: Response;
  readonly #unsubscribe: () => void;
  /** The number of the newest event that was sent or skipped. */
  #sent: number;
  /** The newest number at a reset that was not sent to the reader yet. */
  #resetAt: number | undefined;
  #isPlanned = false;
  #isFull = false;
  #wasFull = false;

  constructor(
    history: History,
    res: Response,
    { place, last }: { place: number | 'none' | 'unknown'; last: number },
  ) {
    this.#history = history;
    this.#res = res;
    this.#sent = typeof place === 'number' ? place : history.last - Math.min(last, history.size);
    this.#unsubscribe = history.subscribe((news) => {
      if (news === 'reset') this.#resetAt = history.last;
      this.#planPump();
    });
    if (place === 'none') this.#write(this.#mark('open'));
    else if (place === 'unknown') this.#write(this.#mark('gap'));
    else this.#write(':\n\n');
    this.#pump();
  }

  async beat(everyMs: number): Promise<void> {
    for (;;) {
      await pauseWhileRunning(everyMs);
      if (this.#res.closed) return;
      if (this.#isFull && this.#wasFull) this.#res.destroy();
      else if (this.#isFull) this.#wasFull = true;
      else this.#write(':\n\n');
    }
  }

  close(): void {
    this.#unsubscribe();
    this.#res.end();
  }

  /** Sends everything that happens in one tick in one write. */
  #planPump(): void {
    if (this.#isPlanned) return;
    this.#isPlanned = true;
    setImmediate(() => {
      this.#isPlanned = false;
      this.#pump();
    });
  }

  #pump(): void {
    while (!this.#isFull && !this.#res.closed && !this.#res.writableEnded) {
      if (this.#resetAt !== undefined) {
        this.#sent = this.#resetAt;
        this.#resetAt = undefined;
        this.#write(this.#mark('reset'));
        continue;
      }
      const news = this.#history.since(this.#sent, MOST_AT_ONCE);
      if (news?.length === 0) return;
      this.#sent = news?.at(-1)?.seq ?? this.#history.last;
      this.#write(
        news
          ? news.map((happening) => this.#frame('happening', happening)).join('')
          : this.#mark('gap'),
      );
    }
  }

  #mark(event: 'open' | 'gap' | 'reset'): string {
    return this.#frame(event, { seq: this.#sent });
  }

  #frame(event: string, data: Happening | { seq: number }): string {
    return toServerSentEvent(event, data, this.#history.idOf(data.seq));
  }

  #write(text: string): void {
    if (this.#res.write(text)) return;
    this.#isFull = true;
    this.#res.once('drain', () => {
      this.#isFull = false;
      this.#wasFull = false;
      this.#pump();
    });
  }
}

function readPosition(history: History, req: Request): number | 'none' | 'unknown' {
  const [id, ...others] = req.headersDistinct['last-event-id'] ?? [];
  if (id === undefined) return 'none';
  const seq = others.length ? undefined : history.findNumber(id);
  return seq === undefined || !history.since(seq, 0) ? 'unknown' : seq;
}
