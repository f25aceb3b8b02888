// @ts-check
// The shop's own API: every answer is an envelope.

/** The shop did not do what was asked. `httpStatus` is 0 where it could not be reached. */
export class ApiError extends Error {
  /** @param {number} httpStatus @param {string} message */
  constructor(httpStatus, message) {
    super(message);
    this.name = 'ApiError';
    this.httpStatus = httpStatus;
  }
}

/**
 * Calls the shop and gives `data`. Throws `ApiError`, whose message can be shown.
 * @param {'GET' | 'POST'} method
 * @param {string} path
 * @param {string} [body]
 * @param {Record<string, string>} [headers]
 */
export async function callApi(method, path, body, headers) {
  const { data } = await callForEnvelope(method, path, body, headers);
  return data;
}

/**
 * Asks what is known of a payment: the server's word, and its message for the customer. Throws
 * `ApiError`.
 * @param {string} reference
 * @returns {Promise<{ data: { reference: string, status: string, amount: string, currency: string, isWaitingForCustomer: boolean }, message: string }>}
 */
export async function askPayment(reference) {
  return callForEnvelope('POST', `/api/payments/${reference}/verify`);
}

/**
 * @param {'GET' | 'POST'} method
 * @param {string} path
 * @param {string} [body]
 * @param {Record<string, string>} [headers]
 */
async function callForEnvelope(method, path, body, headers = {}) {
  /** @type {Response | undefined} */
  let response;
  try {
    response = await fetch(path, {
      method,
      headers: { ...headers, ...(body && { 'Content-Type': 'application/json' }) },
      body: body ?? null,
    });
    const envelope = await response.json();
    if (response.ok) return envelope;
    throw new ApiError(response.status, envelope.message);
  } catch (error) {
    if (error instanceof ApiError) throw error;
    throw new ApiError(
      response?.status ?? 0,
      'The shop cannot be reached, and no payment was begun: check your connection and try again.',
    );
  }
}
