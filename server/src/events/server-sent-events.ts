import type { Request, RequestHandler, Response } from 'express';
import { ipKeyGenerator } from 'express-rate-limit';

import { PaymentsError } from '../errors.ts';

/** A mobile network lends one address to many customers. */
const MOST_STREAMS = 5_000;
const MOST_PER_ADDRESS = 2_000;

/** A reader further behind than this is cut off. It reads the state again when it connects again. */
const MOST_UNREAD_BYTES = 64 * 1024;

/** Limits the event streams that are open at a time (T121). Fails with `too_many_requests`. */
export function limitStreams(mostPerAddress = MOST_PER_ADDRESS): RequestHandler {
  const open: string[] = [];
  return (req, res, next) => {
    if (res.closed) return;
    const address = ipKeyGenerator(req.ip ?? '');
    const ofAddress = open.filter((other) => other === address).length;
    if (open.length >= MOST_STREAMS || ofAddress >= mostPerAddress) {
      const message = 'Too many event streams are open: close one, or ask again later.';
      throw new PaymentsError('too_many_requests', message, { retryAfterSeconds: 60 });
    }
    open.push(address);
    res.once('close', () => open.splice(open.indexOf(address), 1));
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
  res.type('text/event-stream').set({ 'Cache-Control': 'no-store', 'X-Accel-Buffering': 'no' });
  if (req.method === 'HEAD') return void res.end();
  for await (const text of events) {
    res.write(text);
    if (res.writableLength > MOST_UNREAD_BYTES) res.destroy();
  }
  res.end();
}
