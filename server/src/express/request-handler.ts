import type { Request, RequestHandler, Response } from 'express';

import type { Route } from '../routes/shop-route.ts';
import { discardNodeBody, readNodeBody } from '../transport/node-body.ts';

/**
 * A client with more unread bytes than this is disconnected. It reads the state again when it
 * reconnects.
 */
const MOST_UNREAD_BYTES = 64 * 1024;

/** Turns a route into a handler of Express. Errors go to the next error handler. */
export function toRequestHandler(route: Route<Request>): RequestHandler {
  return (req, res, next) => {
    // passes errors on itself, because Express 4 ignores the promise of a handler
    respond(route, req, res).catch(next);
  };
}

async function respond(route: Route<Request>, req: Request, res: Response): Promise<void> {
  if (res.closed) return;
  const ending = new AbortController();
  res.once('close', () => ending.abort());
  res.locals.isCounted = true;
  const { reference } = req.params;
  const { status, headers, body, code } = await route.respond({
    native: req,
    headers: req.headers,
    reference: typeof reference === 'string' ? reference : undefined,
    address: req.ip,
    readBody: () => readNodeBody(req),
    signal: ending.signal,
  });
  if (code) res.locals.errorCode = code;
  res.status(status).set(headers);
  if (typeof body === 'string') res.send(body);
  else await sendEvents(req, res, body);
  discardNodeBody(req);
}

async function sendEvents(
  req: Request,
  res: Response,
  events: AsyncGenerator<string>,
): Promise<void> {
  // probes a peer that is silent for 5 s twice
  req.socket.setKeepAlive(true, 5_000, 2_000, 2);
  if (req.method === 'HEAD') return void res.end();
  for await (const text of events) {
    res.write(text);
    if (res.writableLength > MOST_UNREAD_BYTES) res.destroy();
  }
  res.end();
}
