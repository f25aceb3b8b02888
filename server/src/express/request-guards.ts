import { describeIssue } from '@service-pay/contract/issue-text';
import type { RequestHandler } from 'express';
import * as v from 'valibot';

import { PaymentsError } from '../errors.ts';
import { assertOwnPages, corsHeaders, rejectForeignPage } from '../routes/own-pages.ts';

/**
 * Rejects requests from pages of other origins, and lets those of allowed origins preflight, call
 * and read (CORS): see `rejectForeignPage` and `corsHeaders`.
 */
export function buildOwnPagesOnly(
  publicUrl?: string,
  allowedOrigins?: readonly string[],
): RequestHandler {
  const ownPages = { publicUrl, allowedOrigins };
  assertOwnPages(ownPages);
  return (req, res, next) => {
    const { Vary, ...cors } = corsHeaders(req.headers, ownPages);
    if (Vary) res.vary(Vary);
    res.set(cors);
    const isPreflight = req.method === 'OPTIONS' && 'Access-Control-Allow-Origin' in cors;
    if (isPreflight) return void res.status(204).end();
    if (req.method === 'POST') rejectForeignPage(req.headers, ownPages);
    next();
  };
}

/** Parses a body. Fails with `invalid_request`, which names every wrong field. */
export function parseBody<const Schema extends v.GenericSchema>(
  schema: Schema,
  body: unknown,
): v.InferOutput<Schema> {
  const result = v.safeParse(schema, body);
  if (result.success) return result.output;
  const problems = result.issues.map((issue) => {
    const path = v.getDotPath(issue) ?? 'body';
    return { path, code: issue.type, message: `${path} ${describeIssue(issue)}.` };
  });
  throw new PaymentsError('invalid_request', problems.map(({ message }) => message).join(' '), {
    problems,
  });
}
