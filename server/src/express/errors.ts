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
  const status = findRejection(thrown);
  const error = status ? describeRejection(status, thrown) : toPaymentsError(thrown, internal);
  res.locals.errorCode = error.code;
  if (isFailure(error)) res.locals.failure = thrown;
  if (isFailure(error) && !requestId) console.error(thrown);
  if (res.headersSent) return next(thrown);
  res
    .status(status ?? error.httpStatus)
    .set(retryAfter(error))
    .json(errorEnvelope(error));
};

/** Finds the status with which Express, a parser or a middleware of the shop rejected the request. */
function findRejection(thrown: unknown): number | undefined {
  const { status } = Object(thrown) as { status?: unknown };
  return typeof status === 'number' && status >= 400 && status < 500 ? status : undefined;
}

/** Repeats no words of the error, which may name a file or quote the body. */
function describeRejection(status: number, thrown: unknown): PaymentsError {
  if (status === 404) return new PaymentsError('route_not_found', 'There is nothing on this path.');
  const isOfParser = status === 400 || 'type' in Object(thrown);
  return new PaymentsError(
    'invalid_request',
    isOfParser
      ? 'The path or the body of the request cannot be read.'
      : 'The request was rejected.',
  );
}
