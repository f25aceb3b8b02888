import type { Request, RequestHandler, Response } from 'express';

import { EVENT_STREAM_HEADERS, OpenStreams } from '../events/open-streams.ts';

/**
 * A client with more unread bytes than this is disconnected. It reads the state again when it
 * reconnects.
 */
const MOST_UNREAD_BYTES = 64 * 1024;

/** Limits the number of open event streams (T121). Fails with `too_many_requests`. */
export function limitStreams(mostPerAddress?: number): RequestHandler {
  const open = new OpenStreams(mostPerAddress);
  return (req, res, next) => {
    if (res.closed) return;
    res.once('close', open.add(req.ip));
    next();
  };
}

export async function sendEvents(
  req: Request,
  res: Response,
  begin: (signal: AbortSignal) => Promise<AsyncIterable<string>>,
): Promise<void> {
  const ending = new AbortController();
  res.once('close', () => ending.abort());
  const events = await begin(ending.signal);
  // probes a peer that is silent for 5 s twice
  req.socket.setKeepAlive(true, 5_000, 2_000, 2);
  res.set(EVENT_STREAM_HEADERS);
  if (req.method === 'HEAD') return void res.end();
  for await (const text of events) {
    res.write(text);
    if (res.writableLength > MOST_UNREAD_BYTES) res.destroy();
  }
  res.end();
}
