// The control API, as the sandbox's own pages call it.

/** @import { Call } from './curl.js' */

const TOKEN_KEY = 'service-pay-sandbox-token';

/** The token where the browser keeps nothing for us. */
let tokenHere = '';

/**
 * The sandbox did not do what was asked; the message can be shown. `httpStatus` is 0 where it could
 * not be reached.
 */
export class CallError extends Error {
  /** @param {number} httpStatus @param {string | undefined} errorCode @param {string} message */
  constructor(httpStatus, errorCode, message) {
    super(message);
    this.name = 'CallError';
    this.httpStatus = httpStatus;
    this.errorCode = errorCode;
  }

  /** True where the sandbox wants its token first. */
  get isLocked() {
    return this.errorCode === '13';
  }
}

/**
 * Makes a call and gives the answer's `data` and `meta`. Throws `CallError`.
 * @param {Call} call
 * @param {AbortSignal} [signal]
 * @returns {Promise<{ data: any, meta?: any }>}
 */
export async function ask({ method, path, body }, signal) {
  /** @type {Response | undefined} */
  let response;
  /** @type {any} */
  let answer;
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
    answer = await response.json();
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new CallError(0, undefined, 'The sandbox cannot be reached. Is it still running?');
  }
  if (answer.status) return answer;
  if (answer.errorCode === '13') setToken('');
  throw new CallError(response.status, answer.errorCode, answer.message);
}

/** What a call says of itself where the sandbox is open to other machines. */
export function tokenHeader() {
  const token = readToken();
  return token ? { 'x-sandbox-token': token } : {};
}

/** True where the person of this page gave a token. */
export function hasToken() {
  return readToken() !== '';
}

/**
 * Keeps the token for this tab, or forgets it.
 * @param {string} token
 */
export function setToken(token) {
  tokenHere = token;
  try {
    if (token) sessionStorage.setItem(TOKEN_KEY, token);
    else sessionStorage.removeItem(TOKEN_KEY);
  } catch {
    // Kept by this page alone, then.
  }
}

function readToken() {
  try {
    return sessionStorage.getItem(TOKEN_KEY) ?? tokenHere;
  } catch {
    return tokenHere;
  }
}
