// @ts-check
// Orders and their payments: what the shop's server says of them, and what this browser keeps, so
// that a reload or a second tab pays the same one and not another.

import { Problem } from './page.js';

const ORDER_KEPT_UNDER = 'shop-order';
const PAYMENT_KEPT_UNDER = 'shop-payment';

/** The pause between questions of a page that somebody looks at, and while they fail. */
const ASK_EVERY_MS = 3_000;
const LONGEST_PAUSE_MS = 15_000;

/**
 * @typedef {{ sku: string, name: string, description: string, price: string, currency: string, picture?: string }} Item
 * @typedef {{ name: string, quantity: number, price: string }} Line
 * @typedef {{ amount: string, currency: string, customer: { email: string }, lines: Line[] }} Order
 * @typedef {{ reference: string }} PopupOptions What `getPaid` takes, without callbacks.
 */

/**
 * The state of an order. `reference` is the payment that decides it. `asksFirst`: the shop refused
 * that payment, so the customer asks the shop before paying again. `isInReview`: money arrived, and
 * a person looks at it.
 * @typedef {{ reference: string, status: 'successful' | 'failed' | 'pending', amount: string, currency: string, isWaitingForCustomer: boolean, asksFirst?: true, isInReview?: true }} PaymentState
 * @typedef {{ data: PaymentState, message: string }} PaymentAnswer
 */

/**
 * A payment whose result this browser does not know yet. A customer who comes back finds it where
 * `shownOn` says: on its own page after closing the popup while the result was unknown, or in the
 * bar above the cart after choosing to continue shopping.
 * @typedef {{ reference: string, shownOn?: 'page' | 'bar' | undefined }} KeptPayment
 */

/** The shop did not do what was asked. `httpStatus` is 0 if it could not be reached. */
export class ApiError extends Problem {
  /** @param {number} httpStatus @param {string} message */
  constructor(httpStatus, message) {
    super(message);
    this.httpStatus = httpStatus;
  }
}

/** @returns {Promise<Item[]>} */
export function fetchCatalogue() {
  return callApi('GET', '/api/catalogue').then(({ data }) => data);
}

/** @param {string} reference @returns {Promise<Order>} */
export function fetchOrder(reference) {
  return callApi('GET', `/api/orders/${reference}`).then(({ data }) => data);
}

/**
 * Returns the reference of the payment that this browser can still pay, as the server knows it.
 * @returns {Promise<string | undefined>}
 */
export function fetchOpenPayment() {
  return callApi('GET', '/api/orders/open').then(({ data }) => data?.reference);
}

/**
 * Has the server ask the service about a payment now.
 * @param {string} reference
 * @returns {Promise<PaymentAnswer>}
 */
export function askPayment(reference) {
  return callApi('POST', `/api/payments/${reference}/verify`);
}

/**
 * Reports the state of a payment, or why it is unknown, until the payment ends or the returned
 * function is called. Reads the server's event stream, asks every few seconds while the page is
 * visible, and asks at once when the page may have missed something.
 * @param {string} reference
 * @param {(answer: PaymentAnswer | ApiError) => void} report
 */
export function followPayment(reference, report) {
  const life = new AbortController();
  const { signal } = life;
  let stream = openStream();
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  let pause = ASK_EVERY_MS;
  let isAsking = false;

  signal.addEventListener('abort', () => {
    stream.close();
    clearTimeout(timer);
  });
  document.addEventListener('visibilitychange', onVisibility, { signal });
  addEventListener('pageshow', ({ persisted }) => persisted && catchUp(), { signal });
  addEventListener('online', catchUp, { signal });
  addEventListener('offline', () => report(new ApiError(0, 'offline')), { signal });
  void ask();
  return () => life.abort();

  /** The browser connects again by itself, unless the server refused. */
  function openStream() {
    const opened = new EventSource(`/api/payments/${reference}/events`);
    opened.addEventListener('payment', ({ data }) => onEvent(JSON.parse(data)), { signal });
    return opened;
  }

  /** @param {PaymentState} data */
  function onEvent(data) {
    if (data.status === 'successful') onAnswer({ data, message: '' });
    else if (data.status === 'failed') void ask(); // the answer says why
  }

  function onVisibility() {
    if (document.visibilityState === 'visible') catchUp();
    else clearTimeout(timer);
  }

  function catchUp() {
    pause = ASK_EVERY_MS;
    if (stream.readyState === EventSource.CLOSED) stream = openStream();
    void ask();
  }

  async function ask() {
    if (isAsking) return;
    isAsking = true;
    clearTimeout(timer);
    const answer = await askPayment(reference).catch((error) => error);
    isAsking = false;
    if (!signal.aborted) onAnswer(answer);
  }

  /** @param {PaymentAnswer | ApiError} answer */
  function onAnswer(answer) {
    const isKnown = !(answer instanceof ApiError);
    pause = isKnown ? ASK_EVERY_MS : Math.min(pause * 1.5, LONGEST_PAUSE_MS);
    if (isKnown ? answer.data.status !== 'pending' : answer.httpStatus === 404) life.abort();
    else if (document.visibilityState === 'visible') timer = setTimeout(ask, pause);
    report(answer);
  }
}

/**
 * Places an order, or finds the same one if this tab placed it before and it has not ended.
 * @param {{ items: { sku: string, quantity: number }[], customer: object }} order
 * @returns {Promise<PopupOptions>}
 */
export async function placeOrder(order) {
  const body = JSON.stringify(order);
  const kept = keptOrder();
  const key = kept?.body === body ? kept.key : crypto.randomUUID();
  if (key !== kept?.key) write('sessionStorage', ORDER_KEPT_UNDER, { key, body });
  const { data } = await callApi('POST', '/api/orders', body, { 'Idempotency-Key': key });
  keepPayment(data.reference);
  return data;
}

/**
 * Returns the order's open payment, or a new one if there is none.
 * @param {string} reference
 * @returns {Promise<PopupOptions>}
 */
export async function retryPayment(reference) {
  const { data } = await callApi('POST', `/api/payments/${reference}/retry`);
  keepPayment(data.reference);
  return data;
}

/**
 * Returns this tab's last order, until it has ended: the same key finds it again.
 * @returns {{ key: string, body: string } | undefined}
 */
export function keptOrder() {
  return read('sessionStorage', ORDER_KEPT_UNDER);
}

export function forgetOrder() {
  write('sessionStorage', ORDER_KEPT_UNDER, undefined);
}

/**
 * Keeps the payment that this browser is busy with, for all its tabs.
 * @param {string} reference
 * @param {KeptPayment['shownOn']} [shownOn]
 */
export function keepPayment(reference, shownOn) {
  write('localStorage', PAYMENT_KEPT_UNDER, { reference, shownOn });
}

/** @returns {KeptPayment | undefined} */
export function keptPayment() {
  return read('localStorage', PAYMENT_KEPT_UNDER);
}

/**
 * Forgets an order and its payments once the customer knows the result. Keeps a payment of another
 * order that was started in another tab.
 * @param {string[]} references
 */
export function forgetPayments(references) {
  forgetOrder();
  if (references.includes(keptPayment()?.reference ?? ''))
    write('localStorage', PAYMENT_KEPT_UNDER, undefined);
}

/**
 * Calls the shop and returns the envelope. Throws `ApiError`.
 * @param {'GET' | 'POST'} method
 * @param {string} path
 * @param {string | null} [body]
 * @param {Record<string, string>} [headers]
 * @returns {Promise<{ data: any, message: string }>}
 */
async function callApi(method, path, body = null, headers = {}) {
  /** @type {Response | undefined} */
  let response;
  try {
    const type = body === null ? {} : { 'Content-Type': 'application/json' };
    response = await fetch(path, { method, headers: { ...headers, ...type }, body });
    const envelope = await response.json();
    if (response.ok) return envelope;
    throw new ApiError(response.status, envelope.message);
  } catch (error) {
    if (error instanceof ApiError) throw error;
    throw new ApiError(
      response?.status ?? 0,
      'The shop cannot be reached, and no payment was started. Check your connection and try again.',
    );
  }
}

/**
 * Values that the browser refused to keep: they last as long as the page.
 * @type {Map<string, any>}
 */
const ofThisPage = new Map();

/** @param {'localStorage' | 'sessionStorage'} storage @param {string} name */
function read(storage, name) {
  try {
    return JSON.parse(window[storage].getItem(name) ?? 'null') ?? undefined;
  } catch {
    return ofThisPage.get(name);
  }
}

/**
 * @param {'localStorage' | 'sessionStorage'} storage
 * @param {string} name
 * @param {object | undefined} value
 */
function write(storage, name, value) {
  try {
    if (value) window[storage].setItem(name, JSON.stringify(value));
    else window[storage].removeItem(name);
  } catch {
    ofThisPage.set(name, value);
  }
}
