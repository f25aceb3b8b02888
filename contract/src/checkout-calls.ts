import { CHECKOUT_PATHS, type CreateAttempt } from './checkout-api.ts';
import type { PaymentRequest } from './payment-request-schema.ts';

/** One call of the popup to the checkout API, and how long the popup waits for its response. */
export interface CheckoutCall {
  readonly path: string;
  readonly withinMs: number;
  readonly body?: object | undefined;
}

/** The page itself waits 15 s for the frame (D13). */
export const OPENS_WITHIN_MS = 9_000;
const READS_WITHIN_MS = 8_000;
const SUBMITS_WITHIN_MS = 20_000;

export const openSession = (request: PaymentRequest) =>
  callOf(CHECKOUT_PATHS.sessions, OPENS_WITHIN_MS, request);

export const readSession = () => callOf(CHECKOUT_PATHS.session, READS_WITHIN_MS);

export const extendSession = () => callOf(CHECKOUT_PATHS.extension, READS_WITHIN_MS, {});

export const startAttempt = (attempt: CreateAttempt) =>
  callOf(CHECKOUT_PATHS.attempts, SUBMITS_WITHIN_MS, attempt);

export const withdrawAttempt = (id: string) =>
  callOf(pathOf(id, 'withdrawal'), READS_WITHIN_MS, {});

export const enterOneTimeCode = (id: string, code: string) =>
  callOf(pathOf(id, 'one-time-code'), SUBMITS_WITHIN_MS, { code });

/** Returns method, headers and body of a call; `token` is that of the session, if there is one. */
export function requestOf({ body }: CheckoutCall, token: string | undefined) {
  return {
    method: body ? 'POST' : 'GET',
    headers: {
      ...(body && { 'Content-Type': 'application/json' }),
      ...(token !== undefined && { Authorization: `Bearer ${token}` }),
    },
    ...(body && { body: JSON.stringify(body) }),
  };
}

function callOf(path: string, withinMs: number, body?: object): CheckoutCall {
  return { path, withinMs, body };
}

function pathOf(id: string, action: string): string {
  return `${CHECKOUT_PATHS.attempts}/${encodeURIComponent(id)}/${action}`;
}
