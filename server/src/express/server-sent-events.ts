import type { Request, RequestHandler, Response } from 'express';

import { EVENT_STREAM_HEADERS, OpenStreams } from '../events/open-streams.ts';

/** A reader further behind than this is cut off. It reads the state again when it connects again. */
const MOST_UNREAD_BYTES = 64 * 1024;

/** Limits the event streams that are open at a time (T121). Fails with `too_many_requests`. */
export function limitStreams(mostPerAddress?: number): RequestHandler {
  const open = new OpenStreams(mostPerAddress);
  return (req, res, next) => {
    if (res.closed) return;
    res.once('close', open.add(req.ip));
    next();
  };
}

/** Answers a request with the text of its events. */
export async function sendEvents(
  req: Request,
  res: Response,
  begin: (signal: AbortSignal) => Promise<AsyncIterable<string>>,
): Promise<void> {
  const ending = new AbortController();
  res.once('close', () => ending.abort());
  const events = await begin(ending.signal);
  // asks a peer that is silent for 5 s twice whether it is there
  req.socket.setKeepAlive(true, 5_000, 2_000, 2);
  res.set(EVENT_STREAM_HEADERS);
  if (req.method === 'HEAD') return void res.end();
  for await (const text of events) {
    res.write(text);
    if (res.writableLength > MOST_UNREAD_BYTES) res.destroy();
  }
  res.end();
}
