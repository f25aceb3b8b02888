// @ts-check
// The order and the payment that this browser is busy with, so that a reload or a second tab pays
// the same one and not another.

/** A key older than the service keeps a payment open is not used again. */
const KEY_LIVES_MS = 25 * 60_000;
const ORDER_KEPT_UNDER = 'shop-order';
const PAYMENT_KEPT_UNDER = 'shop-payment';

/**
 * A payment whose end this browser has not been told. `shownOn` says where a customer who comes
 * back finds it: on a page of its own after leaving its window while the result was unknown, or in
 * the bar above the cart after choosing to go on shopping.
 * @typedef {{ reference: string, shownOn?: 'page' | 'bar' | undefined }} KeptPayment
 */

/**
 * Returns the `Idempotency-Key` of an order: that of this tab's last order if it is the same and
 * has not come to its end.
 * @param {string} body
 */
export function keyFor(body) {
  const kept = keptOrder();
  if (kept?.body === body) return kept.key;
  const key = Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
  write('sessionStorage', ORDER_KEPT_UNDER, { key, body, since: Date.now() });
  return key;
}

/**
 * Returns this tab's last order, while the same key still finds it.
 * @returns {{ key: string, body: string } | undefined}
 */
export function keptOrder() {
  const kept = read('sessionStorage', ORDER_KEPT_UNDER);
  return kept && Date.now() - kept.since < KEY_LIVES_MS ? kept : undefined;
}

/** Makes the next press of Pay place a new order. */
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
 * Forgets an order and its payments: the customer has been told how it ended.
 * @param {string[]} references Of its payments. A payment of another order, begun in another tab, is kept.
 */
export function forgetPayments(references) {
  forgetOrder();
  if (references.includes(keptPayment()?.reference ?? ''))
    write('localStorage', PAYMENT_KEPT_UNDER, undefined);
}

/**
 * Values that the browser refused to keep: they last as long as the page. @type {Map<string, any>}
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
 * @param {'localStorage' | 'sessionStorage'} storage @param {string} name @param {object | undefined} value
 */
function write(storage, name, value) {
  try {
    if (value) window[storage].setItem(name, JSON.stringify(value));
    else window[storage].removeItem(name);
  } catch {
    ofThisPage.set(name, value);
  }
}
