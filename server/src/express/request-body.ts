import type { IncomingMessage } from 'node:http';
import { finished } from 'node:stream/promises';
import { isJsonOrEmpty } from '@service-pay/contract/json-body';
import type { RequestHandler } from 'express';
import { bodyAlreadyRead, PaymentsError } from '../errors.ts';
import { realClock } from '../support/clock.ts';
import { type BodySource, collectBody } from '../transport/arriving-body.ts';
import { toBytes } from '../webhooks/event.ts';

interface Parsed {
  /** Firebase, Google's functions and NestJS keep the bytes here. */
  rawBody?: unknown;
  /** `express.raw()` and `express.text()` put the whole body here. */
  body?: unknown;
}

/**
 * Reads a body of at most 64 kB with `collectBody`. If it was already read, returns the bytes that
 * were kept, or fails with `body_already_read`.
 */
export async function readBody(req: IncomingMessage & Parsed, clock = realClock): Promise<Buffer> {
  for (const kept of [req.rawBody, req.body])
    if (typeof kept === 'string' || kept instanceof Uint8Array) return toBytes(kept);
  if (req.readableDidRead) throw bodyAlreadyRead();
  const source: BodySource = {
    encoding: req.headers['content-encoding'],
    length: req.headers['content-length'],
    read: (take) => finished(req.on('data', take)),
    cut: () => void req.destroy(),
  };
  return collectBody(source, clock);
}

/** Reads a JSON body and rejects other types. A call without a body needs no type. */
export const readJson: RequestHandler = async (req, _res, next) => {
  if (!isJsonOrEmpty(req.headers))
    throw new PaymentsError(
      'body_type_unsupported',
      'Send the body as application/json, in UTF-8.',
    );
  const text = (await readBody(req)).toString('utf8');
  try {
    req.body = text ? JSON.parse(text) : undefined;
  } catch {
    throw new PaymentsError('invalid_request', 'The body must be well-formed JSON.');
  }
  next();
};

/** Discards the body of calls that take none, because an unread body stays in memory. */
export const discardBody: RequestHandler = (req, _res, next) => {
  req.resume();
  next();
};
