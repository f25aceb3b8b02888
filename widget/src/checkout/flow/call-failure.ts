import { CheckoutError } from './client.ts';

/**
 * A problem of a field: a code with words in the catalogue, and the service's own sentence for
 * other codes.
 */
export interface FormProblem {
  code: string;
  message?: string;
}

export type FieldProblems = Record<string, FormProblem>;

/** Returns the code of a failed call. Rethrows anything else. */
export function codeOf(error: unknown): CheckoutError['code'] {
  return readFailure(error).code;
}

export function isNotKnown(error: unknown): boolean {
  return codeOf(error) === 'not_known';
}

export function pathsOf(error: unknown): string[] {
  return readFailure(error).problems.map(({ path }) => path);
}

/**
 * Returns the service's problems by the last name of each path. A rejection without a field belongs
 * to the form.
 */
export function problemsOf(error: unknown): FieldProblems {
  const failure = readFailure(error);
  const found: FieldProblems = {};
  for (const { path, code, message } of failure.problems)
    found[path.slice(path.lastIndexOf('.') + 1)] ??= { code, message };
  if (!failure.problems.length && failure.code === 'phone_invalid')
    found['phone'] = { code: 'phone-invalid' };
  else if (!failure.problems.length && failure.code !== 'reference_used')
    found['form'] = { code: failure.code };
  return found;
}

function readFailure(error: unknown): CheckoutError {
  if (error instanceof CheckoutError) return error;
  throw error;
}
