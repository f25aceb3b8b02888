import type { ErrorRequestHandler, RequestHandler, Response } from 'express';

import { errorEnvelope, isFailure, PaymentsError, retryAfter, toPaymentsError } from '../errors.ts';

/** Answers `404·11` to what no route took, also to a wrong method (T80). */
export const answerNotFound: RequestHandler = (req) => {
  throw new PaymentsError('route_not_found', `There is no route for ${req.method} on this path.`);
};

/** Turns whatever was thrown into an envelope, and logs failures. Mount it last. */
export const answerError: ErrorRequestHandler = (thrown: unknown, _req, res, next) => {
  const error = readThrown(thrown, res);
  if (isFailure(error)) res.locals.tellFailure?.(error.code, thrown);
  if (res.headersSent) return next(thrown);
  res.set(retryAfter(error));
  res.locals.errorCode = error.code;
  res.status(error.httpStatus).json(errorEnvelope(error));
};

export function readThrown(thrown: unknown, res: Response): PaymentsError {
  if (thrown instanceof PaymentsError) return thrown;
  const { type, status } = Object(thrown) as Record<string, unknown>;
  if (type === 'entity.too.large')
    return new PaymentsError('body_too_large', 'The body is larger than this route takes.');
  if (type === 'encoding.unsupported' || type === 'charset.unsupported') {
    return new PaymentsError(
      'body_type_unsupported',
      'Send the body as it is, in UTF-8, without Content-Encoding.',
    );
  }
  if (typeof status === 'number' && status >= 400 && status < 500) {
    return new PaymentsError(
      'invalid_request',
      'The request could not be read: check the encoding of its path and that its body is well-formed JSON.',
    );
  }
  return toPaymentsError(
    thrown,
    `Something went wrong here. Ask about request ${res.locals.requestId}.`,
  );
}
