import express, { type RequestHandler } from 'express';

import { ApiError } from './api-answers.ts';

const parseJson = express.json({ limit: '64kb', inflate: false });

/** Reads a JSON body. Another content type is 415, more than 64 kB 413; a call without a body needs no content type. */
export const readJsonBody: RequestHandler[] = [
  (req, _res, next) => {
    const hasBody = req.headers['transfer-encoding'] !== undefined || Number(req.headers['content-length'] ?? 0) > 0;
    if (hasBody && !req.is('application/json')) throw new ApiError('not_json', 'The body must be sent as application/json.');
    next();
  },
  parseJson,
];
