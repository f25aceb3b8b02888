import type { ErrorRequestHandler, Request, RequestHandler, Response } from 'express';

import { isDatabaseFailure } from '../database/open.ts';
import { errorEnvelope, PaymentsError, type PaymentsErrorCode } from '../errors.ts';

/**
 * Codes that say that something is broken. A shop that stops, or a service that is not known yet,
 * is as it may be.
 */
const FAILURES: ReadonlySet<PaymentsErrorCode> = new Set(['internal', 'unavailable']);

/** Has it known what failed, and by what. A handler finds it in `res.locals.tellFailure`. */
export type TellFailure = (
  error: PaymentsError,
  thrown: unknown,
  req: Request,
  requestId: string,
) => void;

/** Answers what no route took, a wrong method included: `404·11` (T80). */
export const answerNotFound: RequestHandler = (req) => {
  throw new PaymentsError('route_not_found', `There is nothing at ${req.method} of this path.`);
};

/**
 * The one error handler there is: turns whatever was thrown into an envelope, and has it known
 * where someone must look at it. Mounted behind what may throw.
 */
export const answerError: ErrorRequestHandler = (thrown: unknown, req, res, next) => {
  const error = toPaymentsError(thrown, res);
  if (FAILURES.has(error.code))
    (res.locals.tellFailure as TellFailure | undefined)?.(error, thrown, req, res.locals.requestId);
  if (res.headersSent) return next(thrown);
  if (error.retryAfterSeconds !== undefined)
    res.set('Retry-After', String(error.retryAfterSeconds));
  res.locals.errorCode = error.code;
  res.status(error.httpStatus).json(errorEnvelope(error));
};

function toPaymentsError(thrown: unknown, res: Response): PaymentsError {
  if (thrown instanceof PaymentsError) return thrown;
  const { type, status } = (typeof thrown === 'object' && thrown !== null ? thrown : {}) as Record<
    string,
    unknown
  >;
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
  if (isDatabaseFailure(thrown)) {
    // A commit whose answer is lost may have been made (T113), so this promises neither.
    const message =
      'The shop cannot reach its records right now, and does not know whether this was written: ask again shortly.';
    return new PaymentsError('unavailable', message, { cause: thrown });
  }
  return new PaymentsError(
    'internal',
    `Something went wrong here. Ask about request ${res.locals.requestId}.`,
    { cause: thrown },
  );
}
