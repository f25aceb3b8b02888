import { toServerSentEvent } from '@service-pay/contract/server-sent-event';
import type { Request, Response } from 'express';
import * as v from 'valibot';
import type { Happening, History } from '../history/history.ts';
import { pauseInRealTime } from '../time/clock.ts';
import { ApiError, parseInput } from './answers.ts';

/** Streams open at once. */
const MOST_STREAMS = 100;

/** How often a stream that has nothing to say says so, in real time. */
const HEARTBEAT_MS = 15_000;

/** Happenings written at once: few enough that a reader's 64 kB are overdrawn by little. */
const MOST_AT_ONCE = 50;

const WAIT_BEFORE_RETRY_S = 5;

/**
 * What `GET /_sandbox/events` may be asked: to tell the newest `last` of what happened before,
 * first.
 */
const eventsQuerySchema = v.strictObject({
  last: v.optional(
    v.pipe(
      v.string(),
      v.regex(/^(?:0|[1-9][0-9]{0,2}|1000)$/, 'must be a whole number from 0 to 1000'),
    ),
    '0',
  ),
});

/** What streams are made of. `heartbeatMs` is in real time. */
export interface EventStreamsDeps {
  history: History;
  heartbeatMs?: number;
}

/** `GET /_sandbox/events`: what happens, as it happens, as server-sent events. */
export class EventStreams {
  readonly #history: History;
  readonly #heartbeatMs: number;
  readonly #open = new Set<EventStream>();

  constructor({ history, heartbeatMs = HEARTBEAT_MS }: EventStreamsDeps) {
    this.#history = history;
    this.#heartbeatMs = heartbeatMs;
  }

  /**
   * Opens a stream. `Last-Event-ID` makes it begin after that happening; where that cannot be done
   * without leaving something out, it begins with `gap`. `last` makes a stream that has no such
   * place begin with so many of the newest happenings. Answers 503·10 where too many are open.
   */
  readonly answer = (req: Request, res: Response): void => {
    const { last } = parseInput(eventsQuerySchema, req.query);
    if (this.#open.size >= MOST_STREAMS) {
      res.setHeader('Retry-After', WAIT_BEFORE_RETRY_S);
      throw new ApiError(
        'busy',
        `At most ${MOST_STREAMS} event streams are open at once. Close one, or try again later.`,
      );
    }
    res.writeHead(200, {
      'Content-Type': 'text/event-stream; charset=utf-8',
      'X-Accel-Buffering': 'no',
    });
    if (req.method === 'HEAD') {
      res.end();
      return;
    }
    const stream = new EventStream(this.#history, res, {
      place: readPlace(this.#history, req),
      last: Number(last),
    });
    this.#open.add(stream);
    res.once('close', () => {
      stream.close();
      this.#open.delete(stream);
    });
    void stream.beat(this.#heartbeatMs);
  };

  /** Ends every stream. */
  close(): void {
    for (const stream of this.#open) stream.close();
  }
}

/**
 * One reader. Nothing is kept for it but how far it is: what it has not been sent is read from the
 * history when it can take it. It is held 64 kB at most; one that takes none of that for a whole
 * heartbeat is cut.
 */
class EventStream {
  readonly #history: History;
  readonly #res: Response;
  readonly #unsubscribe: () => void;
  /** The number of the newest happening it was sent, or was told it will not be sent. */
  #sent: number;
  /** The reset it is still to be told of, by the number that was the newest then. */
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

  /** Lets the reader know, again and again, that the sandbox is there, until the stream ends. */
  async beat(everyMs: number): Promise<void> {
    for (;;) {
      await pauseInRealTime(everyMs);
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

  /** What happens in one go is sent in one go. */
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

  /**
   * Says where the stream stands, so that a reader that was told nothing else can go on from there.
   */
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

/** Where a reader stands, by its `Last-Event-ID`. */
function readPlace(history: History, req: Request): number | 'none' | 'unknown' {
  const [id, ...others] = req.headersDistinct['last-event-id'] ?? [];
  if (id === undefined) return 'none';
  const seq = others.length ? undefined : history.findNumber(id);
  return seq === undefined || !history.since(seq, 0) ? 'unknown' : seq;
}
