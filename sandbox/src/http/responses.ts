import type { FieldProblemCode } from '@service-pay/contract/checkout-api';
import { type ErrorCode, errorEnvelope, placeOf } from '@service-pay/contract/envelope';
import { describeIssue } from '@service-pay/contract/issue-text';
import type { ErrorRequestHandler, Request, RequestHandler, Response } from 'express';
import type { Logger } from 'pino';
import * as v from 'valibot';
import { ApiError, type ApiErrorCode, rejectFields } from './api-error.ts';
import { noteRejection } from './request-history.ts';

export { envelope } from '@service-pay/contract/envelope';

const ERRORS = {
  invalid: placeOf('01'),
  too_large: { errorCode: '01', httpStatus: 413 },
  not_json: { errorCode: '01', httpStatus: 415 },
  reference_rejected: placeOf('04'),
  token_rejected: placeOf('09'),
  failed: placeOf('10'),
  busy: { errorCode: '10', httpStatus: 503 },
  not_found: placeOf('11'),
  phone_invalid: placeOf('12'),
  access_denied: placeOf('13'),
} as const satisfies Record<ApiErrorCode, { errorCode: ErrorCode; httpStatus: number }>;

/** Names that a message may repeat, because they cannot be a token or a card number. */
const NAME_PATTERN = /^(?!sec_|.*[0-9]{4})[A-Za-z_][\w-]{0,23}(?:\.[\w-]{1,24}){0,3}$/;
/**
 * Where pages load scripts. Browsers block a script that another origin sends as JSON, and say so
 * nowhere; a script with an error's status is named in the console, and not run.
 */
const SCRIPTS = /^\/js\/(?!.*\.json$)/;
const MOST_SEGMENTS = 16;
const LONGEST_PATH = 200;

/** Parses input, or rejects it with 400·01, naming each field, with `code`, and never its value. */
export function parseInput<const Schema extends v.GenericSchema>(
  schema: Schema,
  input: unknown,
  code: FieldProblemCode = 'invalid',
): v.InferOutput<Schema> {
  const parsed = v.safeParse(schema, input, { abortPipeEarly: true });
  if (parsed.success) return parsed.output;
  return rejectFields(
    parsed.issues.map((issue) => {
      const field = v.getDotPath(issue);
      // The name of an unknown field may be anything.
      if (field !== null && !NAME_PATTERN.test(field))
        return { path: 'body', code, message: 'The body has an unknown field.' };
      return {
        path: field ?? 'body',
        code,
        message: `${field ?? 'The body'} ${describeIssue(issue)}.`,
      };
    }),
  );
}

export function bearerTokenOf(req: Pick<Request, 'headersDistinct'>): string | undefined {
  const [header, ...others] = req.headersDistinct['authorization'] ?? [];
  return others.length ? undefined : /^bearer +([!-~]+)$/i.exec(header ?? '')?.[1];
}

export const respondNotFound: RequestHandler = (req) => {
  throw new ApiError(
    'not_found',
    `There is no route for ${req.method} ${namePath(req.baseUrl + req.path)}. Check the path, including case and slashes.`,
  );
};

/**
 * Turns every error into an envelope. Logs unexpected ones under the request id in the response.
 */
export function buildErrorHandler(log: Logger): ErrorRequestHandler {
  return (error: unknown, req: Request, res: Response, next) => {
    const isKnown = error instanceof ApiError;
    const known = isKnown ? error : fromExpress(error);
    if (!known) {
      const requestId = crypto.randomUUID();
      const { name, stack } = error instanceof Error ? error : new Error('not an error');
      log.error(
        {
          requestId,
          method: req.method,
          errorName: name,
          stack: stack?.match(/^ {4}at .*$/gm)?.slice(0, 5),
        },
        'request failed',
      );
      respond(
        res,
        new ApiError('failed', `Something went wrong. Find it in the log by its id ${requestId}.`),
        next,
        error,
      );
      return;
    }
    respond(res, known, next, error);
  };
}

/** Blanks out whatever could be a secret or a number in a path. */
export function namePath(path: string): string {
  const segments = path
    .split('/', MOST_SEGMENTS)
    .map((segment) => (segment === '' || NAME_PATTERN.test(segment) ? segment : '…'));
  return segments.join('/').slice(0, LONGEST_PATH);
}

export function errorBody({ code, message, problems }: ApiError) {
  return errorEnvelope(ERRORS[code].errorCode, message, problems);
}

function respond(
  res: Response,
  error: ApiError,
  next: (error: unknown) => void,
  cause: unknown,
): void {
  noteRejection(res, error.message);
  if (res.headersSent) {
    next(cause);
    return;
  }
  if (error.code === 'token_rejected') res.setHeader('WWW-Authenticate', 'Bearer');
  sendError(res.status(ERRORS[error.code].httpStatus), errorBody(error));
}

/** Sends the body of an error, where pages load scripts as a script that prints its message. */
export function sendError(res: Response, body: ReturnType<typeof errorEnvelope>): void {
  const text = JSON.stringify(`ServicePay: ${body.message}`);
  if (SCRIPTS.test(res.req.path)) res.type('text/javascript').send(`console.error(${text});\n`);
  else res.json(body);
}

/** Maps errors of Express and its body parser, without their messages, which may repeat input. */
function fromExpress(error: unknown): ApiError | undefined {
  if (error instanceof URIError)
    return new ApiError('not_found', 'The path contains an invalid percent-encoding.');
  const { type, status } = error as { type?: unknown; status?: unknown };
  if (status === 413) return new ApiError('too_large', 'The body is too large: at most 64 kB.');
  if (status === 415)
    return new ApiError('not_json', 'The body must be uncompressed JSON in UTF-8.');
  if (type === 'entity.parse.failed') return new ApiError('invalid', 'The body is not JSON.');
  return typeof status === 'number' && status >= 400 && status < 500
    ? new ApiError('invalid', 'The request could not be read.')
    : undefined;
}
