// A client of the control API for the sandbox's own pages.

import type { ErrorEnvelope, Meta } from '@service-pay/contract/envelope';
import type { Call } from './curl.ts';

const TOKEN_KEY = 'service-pay-sandbox-token';

/** For browsers that block session storage. */
let tokenHere = '';

/** Tokens have only these characters; a browser cannot send others in a header. */
const TOKEN_CHARACTERS = /^[!-~]+$/;

/** A change may take longer, because it waits for a payment or for the receivers of webhooks. */
const READ_WITHIN_MS = 10_000;

interface Failure {
  httpStatus: number;
  errorCode?: string | undefined;
  isLocked?: boolean;
}

/**
 * A failed call; the message can be shown. `httpStatus` is 0 if the sandbox could not be reached.
 * `isLocked` is true if the token is missing or wrong.
 */
export class CallError extends Error {
  override readonly name = 'CallError';
  readonly httpStatus: number;
  readonly errorCode: string | undefined;
  readonly isLocked: boolean;

  constructor(message: string, { httpStatus, errorCode, isLocked = false }: Failure) {
    super(message);
    this.httpStatus = httpStatus;
    this.errorCode = errorCode;
    this.isLocked = isLocked;
  }
}

/** Makes a call and returns its data, or throws a `CallError`. */
export async function send<Data>(
  { method, path, body }: Call,
  signal?: AbortSignal,
): Promise<{ data: Data; meta: Meta }> {
  let response: Response;
  let envelope: { status: true; data: Data; meta: Meta } | ErrorEnvelope;
  const late = new AbortController();
  const timer = method === 'GET' ? setTimeout(() => late.abort(), READ_WITHIN_MS) : undefined;
  try {
    response = await fetch(`/_sandbox${path}`, {
      method,
      headers: {
        ...tokenHeader(),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      body: body === undefined ? null : JSON.stringify(body),
      signal: AbortSignal.any([late.signal, ...(signal ? [signal] : [])]),
    });
    envelope = await response.json();
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new CallError('The sandbox does not respond. Is it still running?', { httpStatus: 0 });
  } finally {
    clearTimeout(timer);
  }
  if (envelope.status) return envelope;
  const { errorCode, message } = envelope;
  // A change is also rejected because of the page's origin, even with the right token.
  const isLocked = errorCode === '13' && method === 'GET';
  if (isLocked) setToken('');
  throw new CallError(message, { httpStatus: response.status, errorCode, isLocked });
}

export function tokenHeader() {
  const token = readToken();
  return token ? { 'x-sandbox-token': token } : {};
}

export function hasToken() {
  return readToken() !== '';
}

/** Keeps the token for this tab. An empty one, or one that cannot be right, removes it. */
export function setToken(entered: string) {
  const token = TOKEN_CHARACTERS.test(entered) ? entered : '';
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
