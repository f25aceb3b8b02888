// @ts-check
// Which order this tab is paying, so that a customer who reloads or comes back pays the same one and not a second.

/** A key older than the service keeps a payment open is not used again. */
const KEY_LIVES_MS = 25 * 60_000;
const KEPT_UNDER = 'shop-order';

/**
 * The `Idempotency-Key` of an order: that of the last one where it is the same and has not come to its end.
 * @param {string} body
 */
export function keyFor(body) {
  const kept = read();
  if (kept && kept.body === body && Date.now() - kept.since < KEY_LIVES_MS) return kept.key;
  const key = Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
  keep({ key, body, since: Date.now() });
  return key;
}

/** The next press makes a new order: this one came to its end. */
export function forgetOrder() {
  keep(undefined);
}

/** @returns {{ key: string, body: string, since: number } | undefined} */
function read() {
  try {
    return JSON.parse(sessionStorage.getItem(KEPT_UNDER) ?? 'null') ?? undefined;
  } catch {
    return undefined;
  }
}

/** @param {{ key: string, body: string, since: number } | undefined} order Where the browser keeps nothing, each press makes an order. */
function keep(order) {
  try {
    if (order) sessionStorage.setItem(KEPT_UNDER, JSON.stringify(order));
    else sessionStorage.removeItem(KEPT_UNDER);
  } catch {
    return;
  }
}
