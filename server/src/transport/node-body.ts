import type { IncomingMessage } from 'node:http';
import { finished } from 'node:stream/promises';

import { bodyAlreadyRead } from '../errors.ts';
import { type Clock, realClock } from '../support/clock.ts';
import { toBytes } from '../webhooks/event.ts';
import { collectBody } from './arriving-body.ts';

/** Enough for a client that sends a large body before it reads the response. */
const MOST_DISCARDED_BYTES = 1024 * 1024;
const MOST_DISCARDED_PIECES = 256;
const DISCARDED_WITHIN_MS = 2_000;

const discarded = new WeakSet<IncomingMessage>();

/** Node's request. Frameworks may have read its body and kept the bytes. */
export type NodeRequest = IncomingMessage & {
  /** Firebase, Google's functions and NestJS keep the bytes here. */
  rawBody?: unknown;
  /** `express.raw()` and `express.text()` put the whole body here. */
  body?: unknown;
};

/**
 * Reads a body of at most 64 kB with `collectBody`. If it was already read, returns the bytes that
 * were kept, or fails with `body_already_read`.
 */
export async function readNodeBody(req: NodeRequest, clock: Clock = realClock): Promise<Buffer> {
  for (const kept of [req.rawBody, req.body])
    if (typeof kept === 'string' || kept instanceof Uint8Array) return toBytes(kept);
  if (req.readableDidRead) throw bodyAlreadyRead();
  const stopping = new AbortController();
  const { signal } = stopping;
  const source = {
    encoding: req.headers['content-encoding'],
    length: req.headers['content-length'],
    read(take: (piece: Uint8Array) => void) {
      signal.addEventListener('abort', () => req.off('data', take).pause());
      return finished(req.on('data', take), { signal });
    },
    stop: () => stopping.abort(),
  };
  try {
    return await collectBody(source, clock);
  } catch (error) {
    discardNodeBody(req, clock);
    throw error;
  }
}

/**
 * Drops what is left of a body, so that it does not stay in memory and the client sees the response.
 * Closes the connection of one that is large, slow, or in many small pieces: Node would read it to
 * its end, and each piece costs CPU time (T142).
 */
export function discardNodeBody(req: IncomingMessage, clock: Clock = realClock): void {
  const isAllRead = req.complete && req.readableLength === 0;
  if (isAllRead || req.destroyed || discarded.has(req)) return;
  discarded.add(req);
  let bytes = 0;
  let pieces = 0;
  const drop = ({ length }: Uint8Array) => {
    bytes += length;
    pieces += 1;
    if (bytes > MOST_DISCARDED_BYTES || pieces > MOST_DISCARDED_PIECES) close();
  };
  const close = () => void req.off('data', drop).pause().destroy();
  req.once('close', clock.after(DISCARDED_WITHIN_MS, close));
  req.on('data', drop).resume();
}
