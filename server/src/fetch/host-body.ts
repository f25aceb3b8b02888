import type { IncomingMessage } from 'node:http';

import { bodyAlreadyRead } from '../errors.ts';
import type { Clock } from '../support/clock.ts';
import { type BodySource, collectBody } from '../transport/arriving-body.ts';
import { discardNodeBody, readNodeBody } from '../transport/node-body.ts';

/** What a framework knows of a request besides the `Request`. */
export interface FetchHost {
  /**
   * Node's own request. Its body is read instead of the one of `Request`, so that a rejected body
   * can be stopped. With Hono on Node, pass `c.env`.
   */
  incoming?: IncomingMessage | undefined;
}

export interface HostBody {
  /** Reads the whole body. Call it once. */
  read(): Promise<Buffer>;
  /** Drops what was not read, also by headers of the response. */
  release(responseHeaders?: Headers): void;
}

/** Finds the body of a request, without touching it. */
export function findBody(request: Request, { incoming }: FetchHost, clock: Clock): HostBody {
  const release = () => incoming && discardNodeBody(incoming, clock);
  return incoming && !incoming.readableDidRead
    ? { read: () => readNodeBody(incoming, clock), release }
    : fromRequest(request, clock, release);
}

/** Makes the host close the connection after the response if it has a body that was not read. */
function fromRequest(request: Request, clock: Clock, discard: () => void): HostBody {
  const { headers } = request;
  let isUnread = Number(headers.get('content-length')) > 0 || headers.has('transfer-encoding');
  return {
    async read() {
      const { body, bodyUsed } = request;
      if (!body) return Buffer.alloc(0);
      if (bodyUsed || body.locked) throw bodyAlreadyRead();
      const bytes = await collectBody(toSource(body, headers), clock);
      isUnread = false;
      return bytes;
    },
    release(responseHeaders) {
      if (!isUnread) return;
      responseHeaders?.set('connection', 'close');
      discard();
    },
  };
}

/**
 * Reads a stream of the host. Cancels no stream that its host may still write to: that error would
 * end the process (T147). Node's `Readable.toWeb` and `toWebRequest` of h3 write whenever data
 * arrives; the byte streams of Node's `fetch`, which Next.js uses, only while a read is pending.
 */
function toSource(body: ReadableStream<Uint8Array>, headers: Headers): BodySource {
  const isPulled = isByteStream(body);
  const reader = body.getReader();
  let isWaiting = false;
  return {
    encoding: headers.get('content-encoding'),
    length: headers.get('content-length'),
    async read(take) {
      for (;;) {
        isWaiting = true;
        const { done, value } = await reader.read();
        isWaiting = false;
        if (done) return;
        take(value);
      }
    },
    stop() {
      if (isPulled && !isWaiting) reader.cancel().catch(() => {});
      else reader.releaseLock();
    },
  };
}

function isByteStream(body: ReadableStream): boolean {
  try {
    body.getReader({ mode: 'byob' }).releaseLock();
    return true;
  } catch {
    return false;
  }
}
