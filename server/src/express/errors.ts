import type { ErrorCode, FieldProblem } from '@service-pay/contract/envelope';
import type { ErrorRequestHandler, Request, RequestHandler, Response } from 'express';

import { isDatabaseFailure } from '../database/open.ts';

/**
 * Our codes, each with its HTTP status and the specification's two digits (section 7, D38). 413,
 * 415 and 429 are not in its table.
 */
const PLACES = {
  invalid_request: { httpStatus: 400, errorCode: '01' },
  reference_used: { httpStatus: 400, errorCode: '04' },
  signature_invalid: { httpStatus: 401, errorCode: '09' },
  foreign_request: { httpStatus: 401, errorCode: '13' },
  order_not_found: { httpStatus: 404, errorCode: '11' },
  route_not_found: { httpStatus: 404, errorCode: '11' },
  request_too_slow: { httpStatus: 408, errorCode: '01' },
  body_too_large: { httpStatus: 413, errorCode: '01' },
  body_type_unsupported: { httpStatus: 415, errorCode: '01' },
  too_many_requests: { httpStatus: 429, errorCode: '10' },
  headers_too_large: { httpStatus: 431, errorCode: '01' },
  internal: { httpStatus: 500, errorCode: '10' },
  not_known_yet: { httpStatus: 503, errorCode: '10' },
  stopping: { httpStatus: 503, errorCode: '10' },
  unavailable: { httpStatus: 503, errorCode: '10' },
} as const satisfies Record<string, { httpStatus: number; errorCode: ErrorCode }>;

/** What is away is seldom back sooner, and nobody need wait much longer. */
const COME_AGAIN_AFTER_SECONDS = 5;

export type ApiErrorCode = keyof typeof PLACES;

/**
 * Codes that say that something is broken. A shop that stops, or a service that is not known yet,
 * is as it may be.
 */
const FAILURES: ReadonlySet<ApiErrorCode> = new Set(['internal', 'unavailable']);

/** Has it known what failed, and by what. A handler finds it in `res.locals.tellFailure`. */
export type TellFailure = (
  error: ApiError,
  thrown: unknown,
  req: Request,
  requestId: string,
) => void;

/**
 * What this server answers when it cannot do what was asked. The message goes to the caller: no
 * secret, no value, no body.
 */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: ApiErrorCode;
  readonly httpStatus: number;
  readonly problems: readonly FieldProblem[];
  readonly retryAfterSeconds: number | undefined;

  constructor(
    code: ApiErrorCode,
    message: string,
    details: {
      problems?: FieldProblem[];
      retryAfterSeconds?: number | undefined;
      cause?: unknown;
    } = {},
  ) {
    super(message, { cause: details.cause });
    this.code = code;
    this.httpStatus = PLACES[code].httpStatus;
    this.problems = details.problems ?? [];
    this.retryAfterSeconds =
      details.retryAfterSeconds ?? (this.httpStatus === 503 ? COME_AGAIN_AFTER_SECONDS : undefined);
  }
}

/** The envelope around what worked (specification 2.2, D55). */
export function envelope<Data>(
  data: Data,
  message = '',
): { status: true; message: string; data: Data } {
  return { status: true, message, data };
}

/** The envelope around what did not (specification 2.2, D55). */
export function errorEnvelope(error: ApiError): object {
  const { errorCode } = PLACES[error.code];
  return {
    status: false,
    message: error.message,
    errorCode,
    ...(error.problems.length && { data: { problems: error.problems } }),
  };
}

/** Answers what no route took, a wrong method included: `404·11` (T80). */
export const answerNotFound: RequestHandler = (req) => {
  throw new ApiError('route_not_found', `There is nothing at ${req.method} of this path.`);
};

/**
 * The one error handler there is: turns whatever was thrown into an envelope, and has it known
 * where someone must look at it. Mounted behind what may throw.
 */
export const answerError: ErrorRequestHandler = (thrown: unknown, req, res, next) => {
  const error = toApiError(thrown, res);
  if (FAILURES.has(error.code))
    (res.locals.tellFailure as TellFailure | undefined)?.(error, thrown, req, res.locals.requestId);
  if (res.headersSent) return next(thrown);
  if (error.retryAfterSeconds !== undefined)
    res.set('Retry-After', String(error.retryAfterSeconds));
  res.locals.errorCode = error.code;
  res.status(error.httpStatus).json(errorEnvelope(error));
};

function toApiError(thrown: unknown, res: Response): ApiError {
  if (thrown instanceof ApiError) return thrown;
  const { type, status } = (typeof thrown === 'object' && thrown !== null ? thrown : {}) as Record<
    string,
    unknown
  >;
  if (type === 'entity.too.large')
    return new ApiError('body_too_large', 'The body is larger than this route takes.');
  if (type === 'encoding.unsupported' || type === 'charset.unsupported') {
    return new ApiError(
      'body_type_unsupported',
      'Send the body as it is, in UTF-8, without Content-Encoding.',
    );
  }
  if (typeof status === 'number' && status >= 400 && status < 500) {
    return new ApiError(
      'invalid_request',
      'The request could not be read: check the encoding of its path and that its body is well-formed JSON.',
    );
  }
  if (isDatabaseFailure(thrown)) {
    // A commit whose answer is lost may have been made (T113), so this promises neither.
    const message =
      'The shop cannot reach its records right now, and does not know whether this was written: ask again shortly.';
    return new ApiError('unavailable', message, { cause: thrown });
  }
  return new ApiError(
    'internal',
    `Something went wrong here. Ask about request ${res.locals.requestId}.`,
    { cause: thrown },
  );
}
