import type { FieldProblem } from '@service-pay/contract/envelope';

export type RefusalCode =
  | 'invalid'
  | 'reference_refused'
  | 'token_refused'
  | 'not_found'
  | 'phone_invalid'
  | 'access_denied';

const MOST_NAMED_PROBLEMS = 20;

/** A domain error: `message` says what to do and never repeats a value. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: RefusalCode;
  readonly problems: readonly FieldProblem[] | undefined;

  constructor(code: RefusalCode, message: string, problems?: readonly FieldProblem[]) {
    super(message);
    this.code = code;
    this.problems = problems;
  }
}

/** Rejects with all problems at once; the message names only the first few fields. */
export function refuseFields(problems: readonly FieldProblem[]): never {
  const messages = problems.slice(0, MOST_NAMED_PROBLEMS).map((problem) => problem.message);
  const more = problems.length - messages.length;
  if (more) messages.push(`There are ${more} more problems.`);
  throw new Refusal('invalid', messages.join(' '), problems);
}
