import type { RequestHandler } from 'express';

import { readJsonBody } from '../transport/json-body.ts';
import { discardNodeBody, readNodeBody } from '../transport/node-body.ts';

/**
 * Reads a JSON body of at most 64 kB and rejects other types. A call without a body needs no type.
 */
export const readJson: RequestHandler = (req, _res, next) => {
  // passes errors on itself, because Express 4 ignores the promise of a handler
  readJsonBody(req.headers, () => readNodeBody(req)).then(
    (body) => {
      req.body = body;
      next();
    },
    (error: unknown) => {
      discardNodeBody(req);
      next(error);
    },
  );
};

/** Discards the body of calls that take none, because an unread body stays in memory. */
export const discardBody: RequestHandler = (req, _res, next) => {
  discardNodeBody(req);
  next();
};
