import type { IncomingMessage } from 'node:http';
import { finished } from 'node:stream/promises';
import { isJsonOrEmpty } from '@service-pay/contract/json-body';
import type { RequestHandler } from 'express';
import { PaymentsError } from '../errors.ts';
import { LARGEST_WEBHOOK as LARGEST_BODY } from '../webhooks/event.ts';

/** Bodies that may arrive at a time: together they take 8 MB. */
const MOST_ARRIVING = 128;

const arriving = new Set<IncomingMessage>();

/**
 * Reads a body of at most 64 kB into one buffer: kept apart, small chunks take many times their
 * size. If too many bodies are arriving, cuts the one that has been arriving for longest: an honest
 * one takes milliseconds (T120).
 */
export async function readBody(req: IncomingMessage): Promise<Buffer> {
  const { 'content-encoding': encoding = 'identity', 'content-length': length } = req.headers;
  if (encoding !== 'identity')
    throw new PaymentsError('body_type_unsupported', 'Send the body without Content-Encoding.');
  if (Number(length) > LARGEST_BODY) throw tooLarge();

  const body = Buffer.allocUnsafe(Number(length ?? LARGEST_BODY));
  let size = 0;
  const [longest] = arriving;
  if (longest && arriving.size >= MOST_ARRIVING) {
    arriving.delete(longest);
    longest.destroy();
  }
  arriving.add(req);
  req.on('data', (piece: Buffer) => {
    if (size < body.length) piece.copy(body, size);
    size += piece.length;
  });
  try {
    await finished(req);
  } catch {
    throw new PaymentsError('invalid_request', 'The body was cut off.');
  } finally {
    arriving.delete(req);
  }
  if (size > body.length) throw tooLarge();
  return body.subarray(0, size);
}

/** Reads a JSON body, and refuses one of another type. A call without a body needs no type. */
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

/** Throws the body away, for calls that take none: unread, it would stay in memory. */
export const discardBody: RequestHandler = (req, _res, next) => {
  req.resume();
  next();
};

function tooLarge(): PaymentsError {
  return new PaymentsError('body_too_large', 'The body is larger than 64 kB.');
}
