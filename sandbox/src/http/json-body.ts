import { isJsonOrEmpty } from '@service-pay/contract/json-body';
import express, { type RequestHandler } from 'express';
import * as v from 'valibot';
import { ApiError } from './api-error.ts';

/** Well below the depth that `JSON.parse` can read but `JSON.stringify` cannot write. */
const MOST_LEVELS = 32;

export const nothingSchema = v.optional(v.strictObject({}));

/**
 * Reads a JSON body, which must be an object. Other content types get 415, more than 64 kB 413; a
 * call without a body needs no content type.
 */
export const readJsonBody: RequestHandler[] = [
  (req, _res, next) => {
    if (!isJsonOrEmpty(req.headers))
      throw new ApiError('not_json', 'Send the body as application/json in UTF-8.');
    next();
  },
  express.json({ limit: '64kb', inflate: false }),
  (req, _res, next) => {
    if (Array.isArray(req.body)) throw new ApiError('invalid', 'The body must be an object.');
    if (isDeeperThan(MOST_LEVELS, req.body))
      throw new ApiError('invalid', `The body must be at most ${MOST_LEVELS} levels deep.`);
    next();
  },
];

function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((member) => isDeeperThan(levels - 1, member));
}
