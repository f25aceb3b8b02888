import type { ErrorRequestHandler, RequestHandler } from 'express';

import { errorEnvelope, isFailure, PaymentsError, retryAfter, toPaymentsError } from '../errors.ts';

/** Responds with `404·11` if no route matched, including a wrong method (T80). */
export const notFoundHandler: RequestHandler = (req) => {
  throw new PaymentsError('route_not_found', `There is no route for ${req.method} on this path.`);
};

/**
 * Turns any error into an envelope. Mount it last. Errors are logged by `logRequests`, or
 * printed if that is not mounted.
 */
export const errorHandler: ErrorRequestHandler = (thrown: unknown, _req, res, next) => {
  const { requestId } = res.locals;
  const internal = requestId && `Something went wrong here. Ask about request ${requestId}.`;
  const error = isUnreadable(thrown)
    ? new PaymentsError('invalid_request', 'The path or the body of the request cannot be read.')
    : toPaymentsError(thrown, internal);
  res.locals.errorCode = error.code;
  if (isFailure(error)) res.locals.failure = thrown;
  if (isFailure(error) && !requestId) console.error(thrown);
  if (res.headersSent) return next(thrown);
  res.status(error.httpStatus).set(retryAfter(error)).json(errorEnvelope(error));
};

/** Returns whether Express or one of the shop's own parsers rejected the request. */
function isUnreadable(thrown: unknown): boolean {
  const { status } = Object(thrown) as { status?: unknown };
  return typeof status === 'number' && status >= 400 && status < 500;
}
