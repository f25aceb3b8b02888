import { errorEnvelope, retryAfter, toPaymentsError } from '../errors.ts';

/**
 * Turns an error into a response for routes of your own, like `errorHandler` of Express: what a
 * `PaymentsError` says, 503 if the database is away, and otherwise 500. Logs nothing.
 */
export function errorResponse(thrown: unknown): Response {
  const error = toPaymentsError(thrown);
  const headers = { 'cache-control': 'no-store', ...retryAfter(error) };
  return Response.json(errorEnvelope(error), { status: error.httpStatus, headers });
}
