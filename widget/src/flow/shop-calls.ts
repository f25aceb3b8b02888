import type { Call } from './course/course.ts';
import type { Page } from './page.ts';
import {
  findPaymentProblem,
  isPayable,
  type PopupOptions,
  type ShopApi,
  ShopError,
  type ShopPayment,
  statusOf,
} from './shop-api.ts';

/** The connection of a phone that was asleep, or of a shop that hangs, may never respond. */
const LONGEST_CALL_MS = 30_000;

/**
 * Places the order on the shop's server under an idempotency key: the same key must find the same
 * order again. Resolves with the options of `getPaid`.
 */
export type PlaceOrder = (key: string) => Promise<PopupOptions>;

/**
 * Calls the shop, checks what it returns, and waits no longer than 30 s. Prints once what a
 * developer should correct: a response that breaks the contract, or calls that are rejected again
 * and again.
 */
export class ShopCalls {
  readonly #api: ShopApi;
  readonly #page: Page;
  readonly #printed = new Set<string>();
  #rejections = 0;

  constructor(api: ShopApi, page: Page) {
    this.#api = api;
    this.#page = page;
  }

  async verify(reference: string, life: AbortSignal): Promise<ShopPayment> {
    const payment = await this.#within(life, (signal) => this.#api.verify(reference, signal));
    const problem = findPaymentProblem(payment);
    if (problem) throw this.#garbled('verify', `\`${problem}\` of a payment`);
    return payment;
  }

  /** Listens to the events of a payment, and leaves out those that break the contract. */
  get events(): ShopApi['events'] {
    const { events } = this.#api;
    if (!events) return undefined;
    return (reference, listener) =>
      events.call(this.#api, reference, (payment) => {
        if (!findPaymentProblem(payment)) listener(payment);
      });
  }

  /** Makes a call that returns options of `getPaid`. `place` is the page's own function. */
  async options(
    call: Exclude<Call, { to: 'verify' }>,
    place: PlaceOrder | undefined,
    life: AbortSignal,
  ): Promise<PopupOptions | null> {
    const options = await this.#within<unknown>(life, (signal) => {
      if (call.to === 'open') return this.#api.open(signal);
      return call.to === 'retry' ? this.#api.retry(call.reference, signal) : place?.(call.key);
    });
    if ((options === null && call.to === 'open') || isPayable(options)) return options;
    throw this.#garbled(call.to, 'the `reference` of a payment');
  }

  async #within<Data>(
    life: AbortSignal,
    make: (signal: AbortSignal) => Promise<Data> | undefined,
  ): Promise<Data> {
    const ending = new AbortController();
    const { signal } = ending;
    const end = () => ending.abort();
    const cancel = this.#page.after(LONGEST_CALL_MS, end);
    life.addEventListener('abort', end);
    try {
      const ended = new Promise<never>((_resolve, reject) => {
        const stop = () => reject(new ShopError(0, 'The shop did not respond in time.'));
        signal.addEventListener('abort', stop);
      });
      const data = await Promise.race([make(signal), ended]);
      this.#rejections = 0;
      return data as Data;
    } catch (error) {
      this.#noteRejection(statusOf(error));
      throw error;
    } finally {
      cancel();
      life.removeEventListener('abort', end);
    }
  }

  #noteRejection(status: number): void {
    if (status < 400 || status >= 500) return;
    this.#rejections += 1;
    if (this.#rejections < 2) return;
    this.#print(
      `The shop keeps responding with HTTP ${status}. 401, 403, 419, 422: pass the token that its framework demands as \`headers\` of createPaymentFlow. 404: the route is missing, or the cookie that names this browser. 429: allow more requests.`,
    );
  }

  #garbled(call: Call['to'], what: string): ShopError {
    const message = `${call} must return ${what}, and did not.`;
    this.#print(`${message} Return the \`data\` of the response, as docs/flow.md describes it.`);
    return new ShopError(0, message);
  }

  #print(text: string): void {
    if (this.#printed.has(text)) return;
    this.#printed.add(text);
    this.#page.print(text);
  }
}
