import type { FieldProblem } from '@service-pay/contract/envelope';

/** Errors of a call. `http/responses.ts` gives each the specification's code and HTTP status (D38). */
export type ApiErrorCode =
  | 'invalid'
  | 'too_large'
  | 'not_json'
  | 'reference_rejected'
  | 'token_rejected'
  | 'failed'
  | 'busy'
  | 'not_found'
  | 'phone_invalid'
  | 'access_denied';

const MOST_NAMED_PROBLEMS = 20;

/** A rejected call. `message` says what to do and never repeats a value. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: ApiErrorCode;
  readonly problems: readonly FieldProblem[] | undefined;

  constructor(code: ApiErrorCode, message: string, problems?: readonly FieldProblem[]) {
    super(message);
    this.code = code;
    this.problems = problems;
  }
}

/** Rejects with all problems at once; the message names only the first few fields. */
export function rejectFields(problems: readonly FieldProblem[]): never {
  const messages = problems.slice(0, MOST_NAMED_PROBLEMS).map((problem) => problem.message);
  const more = problems.length - messages.length;
  if (more) messages.push(`There are ${more} more problems.`);
  throw new ApiError('invalid', messages.join(' '), problems);
}
