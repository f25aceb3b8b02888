// A client of the control API for the sandbox's own pages.

import type { ErrorEnvelope, Meta } from '@service-pay/contract/envelope';
import type { Call } from './curl.ts';

const TOKEN_KEY = 'service-pay-sandbox-token';

/** For browsers that block session storage. */
let tokenHere = '';

/**
 * A failed call; the message can be shown. `httpStatus` is 0 if the sandbox could not be reached.
 */
export class CallError extends Error {
  override readonly name = 'CallError';
  readonly httpStatus: number;
  readonly errorCode: string | undefined;

  constructor(httpStatus: number, errorCode: string | undefined, message: string) {
    super(message);
    this.httpStatus = httpStatus;
    this.errorCode = errorCode;
  }

  get isLocked() {
    return this.errorCode === '13';
  }
}

/** Makes a call and returns its data, or throws a `CallError`. */
export async function send<Data>(
  { method, path, body }: Call,
  signal?: AbortSignal,
): Promise<{ data: Data; meta: Meta }> {
  let response: Response;
  let envelope: { status: true; data: Data; meta: Meta } | ErrorEnvelope;
  try {
    response = await fetch(`/_sandbox${path}`, {
      method,
      headers: {
        ...tokenHeader(),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      body: body === undefined ? null : JSON.stringify(body),
      signal: signal ?? null,
    });
    envelope = await response.json();
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new CallError(0, undefined, 'The sandbox does not respond. Is it still running?');
  }
  if (envelope.status) return envelope;
  if (envelope.errorCode === '13') setToken('');
  throw new CallError(response.status, envelope.errorCode, envelope.message);
}

export function tokenHeader() {
  const token = readToken();
  return token ? { 'x-sandbox-token': token } : {};
}

export function hasToken() {
  return readToken() !== '';
}

/** Keeps the token for this tab; an empty one removes it. */
export function setToken(token: string) {
  tokenHere = token;
  try {
    if (token) sessionStorage.setItem(TOKEN_KEY, token);
    else sessionStorage.removeItem(TOKEN_KEY);
  } catch {
    // then only this page keeps it
  }
}

function readToken() {
  try {
    return sessionStorage.getItem(TOKEN_KEY) ?? tokenHere;
  } catch {
    return tokenHere;
  }
}
