// A client of the control API for the sandbox's own pages.

/** @import { Call } from './curl.js' */

const TOKEN_KEY = 'service-pay-sandbox-token';

/** For browsers that block session storage. */
let tokenHere = '';

/**
 * A failed call; the message can be shown. `httpStatus` is 0 if the sandbox could not be reached.
 */
export class CallError extends Error {
  /** @param {number} httpStatus @param {string | undefined} errorCode @param {string} message */
  constructor(httpStatus, errorCode, message) {
    super(message);
    this.name = 'CallError';
    this.httpStatus = httpStatus;
    this.errorCode = errorCode;
  }

  get isLocked() {
    return this.errorCode === '13';
  }
}

/**
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
    throw new CallError(0, undefined, 'The sandbox does not respond. Is it still running?');
  }
  if (answer.status) return answer;
  if (answer.errorCode === '13') setToken('');
  throw new CallError(response.status, answer.errorCode, answer.message);
}

export function tokenHeader() {
  const token = readToken();
  return token ? { 'x-sandbox-token': token } : {};
}

export function hasToken() {
  return readToken() !== '';
}

/**
 * Keeps the token for this tab; an empty one removes it.
 * @param {string} token
 */
export function setToken(token) {
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
