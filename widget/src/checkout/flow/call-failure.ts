import type { FieldProblems } from '../parts/field.ts';
import { CheckoutError } from './client.ts';

/** Why a call to the service failed, by its code. What is no failure of a call is thrown on. */
export function codeOf(error: unknown): CheckoutError['code'] {
  return readFailure(error).code;
}

/** Whether nobody knows what came of the call: it may have been carried out. */
export function isNotKnown(error: unknown): boolean {
  return codeOf(error) === 'not_known';
}

/** What of the request the service could not take. */
export function pathsOf(error: unknown): string[] {
  return readFailure(error).problems.map(({ path }) => path);
}

/**
 * What the service could not take, by the last name of each path. A refusal that names no field is
 * laid at the form.
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
