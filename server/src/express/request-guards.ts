import { describeIssue } from '@service-pay/contract/issue-text';
import type { RequestHandler } from 'express';
import * as v from 'valibot';

import { PaymentsError } from '../errors.ts';
import { assertOwnPages, rejectForeignPage } from '../transport/own-pages.ts';

/** Rejects requests from pages of other origins: see `rejectForeignPage`. */
export function buildOwnPagesOnly(
  publicUrl?: string,
  allowedOrigins?: readonly string[],
): RequestHandler {
  assertOwnPages({ publicUrl, allowedOrigins });
  return (req, _res, next) => {
    const { origin, 'sec-fetch-site': site } = req.headers;
    if (req.method === 'POST')
      rejectForeignPage({ origin, site: site?.toString() }, { publicUrl, allowedOrigins });
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
