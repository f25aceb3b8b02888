import { randomUUID } from 'node:crypto';

/**
 * An order and the state of its payment. `shipped` counts how often it was fulfilled.
 *
 * @typedef {{ reference: string, email: string, amount: string, currency: string, state: 'open' | 'paid' | 'review', shipped: number }} Order
 */

/** The orders of a shop. The service alone says whether one is paid. */
export class Orders {
  /** @type {Map<string, Order>} */
  #orders = new Map();
  #serviceUrl;
  #apiToken;

  /** @param {{ serviceUrl: string, apiToken: string }} service */
  constructor({ serviceUrl, apiToken }) {
    this.#serviceUrl = serviceUrl;
    this.#apiToken = apiToken;
  }

  /** Makes an order. Its price is the shop's, never the page's. */
  place() {
    /** @type {Order} */
    const order = {
      reference: randomUUID(),
      email: 'mary@example.com',
      amount: '138.75',
      currency: 'ZMW',
      state: 'open',
      shipped: 0,
    };
    this.#orders.set(order.reference, order);
    return order;
  }

  /** @param {string} reference */
  find(reference) {
    return this.#orders.get(reference);
  }

  /**
   * Verifies an order at the service, and moves it forward. Rejects where the service gives no
   * response: nothing is known then. A payment of another amount waits for a person. What was paid
   * once stays paid, and is shipped once.
   *
   * @param {Order} order
   */
  async confirm(order) {
    const { reference, amount, currency } = order;
    const response = await fetch(`${this.#serviceUrl}/access/v2/collections/status/${reference}`, {
      headers: { authorization: `Bearer ${this.#apiToken}` },
      signal: AbortSignal.timeout(5_000),
    });
    if (response.status === 404) return;
    const { status, data } = await response.json();
    if (!response.ok || status !== true)
      throw new Error(`The service responded with ${response.status}.`);
    if (data.status !== 'successful' || order.state !== 'open') return;
    const isRight =
      data.reference === reference &&
      data.currency === currency &&
      Number(data.amount) === Number(amount);
    order.state = isRight ? 'paid' : 'review';
    if (isRight) order.shipped += 1;
  }

  /**
   * Verifies each order that is still open, as a shop does every few minutes. One that cannot be
   * verified waits for the next time.
   */
  async confirmOpen() {
    const open = [...this.#orders.values()].filter(({ state }) => state === 'open');
    await Promise.allSettled(open.map((order) => this.confirm(order)));
  }
}
