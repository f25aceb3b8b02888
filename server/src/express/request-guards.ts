import { describeIssue } from '@service-pay/contract/issue-text';
import type { RequestHandler } from 'express';
import * as v from 'valibot';

import { PaymentsError } from '../errors.ts';

/**
 * Refuses a change that a page of another origin asks a browser for (T73), unless it is allowed.
 * Programs send neither header and pass.
 */
export function buildOwnPagesOnly(
  publicUrl: string,
  allowedOrigins: readonly string[] = [],
): RequestHandler {
  const { origin: own } = new URL(publicUrl);
  return (req, _res, next) => {
    const { origin, 'sec-fetch-site': site } = req.headers;
    const isOwn = (origin ?? own) === own && /^(?:same-origin|none)$/.test(`${site ?? 'none'}`);
    const isAllowed = origin !== undefined && allowedOrigins.includes(origin);
    if (req.method === 'POST' && !isOwn && !isAllowed) {
      throw new PaymentsError(
        'foreign_request',
        `Only pages of this shop may ask for that. Its address (publicUrl) is ${own}: open it there.`,
      );
    }
    next();
  };
}

/** Reads a body by its schema. Fails with `invalid_request`, which names every wrong field. */
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
