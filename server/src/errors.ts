import {
  type ErrorCode,
  type FieldProblem,
  placeOf,
  errorEnvelope as toErrorEnvelope,
} from '@service-pay/contract/envelope';

import { isDatabaseFailure } from './support/database-failure.ts';

export { envelope } from '@service-pay/contract/envelope';

const PLACES = {
  invalid_request: placeOf('01'),
  reference_used: placeOf('04'),
  signature_invalid: placeOf('09'),
  foreign_request: placeOf('13'),
  order_not_found: placeOf('11'),
  route_not_found: placeOf('11'),
  body_too_large: { httpStatus: 413, errorCode: '01' },
  body_type_unsupported: { httpStatus: 415, errorCode: '01' },
  too_many_requests: { httpStatus: 429, errorCode: '10' },
  internal: placeOf('10'),
  body_already_read: placeOf('10'),
  not_known_yet: { httpStatus: 503, errorCode: '10' },
  stopping: { httpStatus: 503, errorCode: '10' },
  unavailable: { httpStatus: 503, errorCode: '10' },
} as const satisfies Record<string, { httpStatus: number; errorCode: ErrorCode }>;

const COME_AGAIN_AFTER_SECONDS = 5;

/**
 * Leaves open whether the write happened, because a commit whose response is lost may have been
 * made (T113).
 */
const DATABASE_AWAY =
  'The shop cannot reach its database right now, so it is not known whether this was saved. Try again in a moment.';

export type PaymentsErrorCode = keyof typeof PLACES;

/** The cause of a `not_known_yet`. */
export type NotKnownReason =
  | 'token_refused'
  | 'timeout'
  | 'unreachable'
  | 'busy'
  | 'told_to_wait'
  | 'garbled'
  | 'reference_unusable';

const NOT_KNOWN_YET =
  'The payment service cannot be reached right now. Do not pay again. Try again in a moment.';

/**
 * The error of every failed call. Its message goes to the caller, so it holds no secret and no
 * value.
 */
export class PaymentsError extends Error {
  override readonly name = 'PaymentsError';
  readonly code: PaymentsErrorCode;
  readonly httpStatus: number;
  readonly problems: readonly FieldProblem[];
  readonly retryAfterSeconds: number | undefined;
  readonly reason: NotKnownReason | undefined;

  constructor(
    code: PaymentsErrorCode,
    message: string,
    details: {
      problems?: FieldProblem[];
      retryAfterSeconds?: number | undefined;
      reason?: NotKnownReason;
      cause?: unknown;
    } = {},
  ) {
    super(message, { cause: details.cause });
    this.code = code;
    this.httpStatus = PLACES[code].httpStatus;
    this.reason = details.reason;
    this.problems = details.problems ?? [];
    this.retryAfterSeconds =
      details.retryAfterSeconds ?? (this.httpStatus === 503 ? COME_AGAIN_AFTER_SECONDS : undefined);
  }
}

/**
 * Builds the error for a result that is not known (D52): never treated as failed. Only the shop
 * sees what happened, in the message of the cause.
 */
export function notKnownYet(
  reason: NotKnownReason,
  happened: string,
  { cause, retryAfterSeconds }: { cause?: unknown; retryAfterSeconds?: number } = {},
): PaymentsError {
  return new PaymentsError('not_known_yet', NOT_KNOWN_YET, {
    reason,
    retryAfterSeconds,
    cause: new Error(happened, { cause }),
  });
}

/** Fails with `invalid_request` if there is a problem. Each is listed under its field. */
export function rejectProblems(found: Record<string, string | false>): void {
  if (Object.values(found).some((problem) => problem !== false)) throw invalidRequest(found);
}

/** Builds the error for these problems. */
export function invalidRequest(
  found: Record<string, string | false>,
  cause?: unknown,
): PaymentsError {
  const problems = Object.entries(found).flatMap(([path, problem]) =>
    problem === false ? [] : [{ path, code: 'invalid', message: `${path} ${problem}` }],
  );
  const message = problems.map((problem) => problem.message).join(' ');
  return new PaymentsError('invalid_request', message, { problems, cause });
}

export function errorEnvelope({ code, message, problems }: PaymentsError): object {
  return toErrorEnvelope(PLACES[code].errorCode, message, problems);
}

export function retryAfter({ retryAfterSeconds }: PaymentsError): Record<string, string> {
  return retryAfterSeconds === undefined ? {} : { 'Retry-After': String(retryAfterSeconds) };
}

export function isFailure({ code }: PaymentsError): boolean {
  return code === 'internal' || code === 'body_already_read' || code === 'unavailable';
}

export const MOUNT_FIRST =
  'Mount the webhook before anything that reads bodies, such as express.json(), or keep the bytes in req.rawBody.';

/**
 * Builds the error for a body that was read before the route, so that its signature cannot be
 * verified (T131).
 */
export function bodyAlreadyRead(): PaymentsError {
  const message = `The request body was already read, and its bytes were not kept. ${MOUNT_FIRST}`;
  return new PaymentsError('body_already_read', message);
}

export function toPaymentsError(
  thrown: unknown,
  internal = 'Something went wrong here. The log says what.',
): PaymentsError {
  if (thrown instanceof PaymentsError) return thrown;
  return isDatabaseFailure(thrown)
    ? new PaymentsError('unavailable', DATABASE_AWAY, { cause: thrown })
    : new PaymentsError('internal', internal, { cause: thrown });
}

/** Turns a failure of the database into `unavailable`, and leaves other errors as they are. */
export async function orUnavailable<Result>(work: Promise<Result>): Promise<Result> {
  return work.catch((thrown: unknown) => {
    const error = toPaymentsError(thrown);
    throw error.code === 'internal' ? thrown : error;
  });
}
