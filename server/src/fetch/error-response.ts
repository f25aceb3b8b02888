import { errorEnvelope, retryAfter, toPaymentsError } from '../errors.ts';

export function json(status: number, body: object, headers: Record<string, string> = {}): Response {
  return Response.json(body, { status, headers: { 'cache-control': 'no-store', ...headers } });
}

export function errorResponse(thrown: unknown): Response {
  const error = toPaymentsError(thrown);
  return json(error.httpStatus, errorEnvelope(error), retryAfter(error));
}
