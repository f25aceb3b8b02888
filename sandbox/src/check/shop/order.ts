import { type Payable, type ShopPayment, shopPaymentSchema } from '@service-pay/contract/shop-api';
import { SHOP_ROUTES } from '@service-pay/contract/shop-routes';
import type { Delivery, PayResult } from '../../control/outputs.ts';
import { realTimeMs } from '../../time/real-time.ts';
import { must, NotTried, prepare } from '../must.ts';
import { atSandbox } from './borrowed-sandbox.ts';
import type { Browser } from './browser.ts';
import type { ShopResponse } from './call-shop.ts';
import { startChallenged } from './customer.ts';
import { pathOf, payableOf, preparedDataOf } from './responses.ts';
import { type Shop, VERIFIES_AGAIN_AFTER_MS } from './shop.ts';

/** An order of the shop, as the browser that placed it sees it and as the service knows it. */
export class Order {
  readonly shop: Shop;
  readonly browser: Browser;
  /** The references of its payments, oldest first. */
  readonly references: string[];
  payable: Payable;
  #verifiedAt = Number.NEGATIVE_INFINITY;

  constructor(shop: Shop, browser: Browser, payable: Payable) {
    this.shop = shop;
    this.browser = browser;
    this.payable = payable;
    this.references = [payable.reference];
  }

  get reference(): string {
    return this.payable.reference;
  }

  // The browser's calls.

  async verify(reference = this.reference): Promise<ShopResponse> {
    await this.waitUntilVerifiedAgain();
    const response = await this.call('verify', reference);
    if (isShownAs(response, 'successful')) this.shop.paid.add(this);
    return response;
  }

  async retry(): Promise<ShopResponse> {
    await this.waitUntilVerifiedAgain();
    return this.call('retry');
  }

  call(route: 'verify' | 'retry' | 'events', reference = this.reference, browser = this.browser) {
    return browser.call(SHOP_ROUTES[route].method, pathOf(route, reference));
  }

  /** Waits until the shop verifies a payment of this order again. */
  async waitUntilVerifiedAgain(): Promise<void> {
    const restMs = this.#verifiedAt + VERIFIES_AGAIN_AFTER_MS - realTimeMs();
    if (restMs > 0) await this.shop.options.sleep(restMs);
    this.#verifiedAt = realTimeMs();
  }

  /** Verifies once, if that only prepares a rule. */
  async shown(reference?: string): Promise<ShopPayment> {
    return prepare(async () => preparedDataOf(await this.verify(reference), shopPaymentSchema));
  }

  /**
   * Throws `RuleBroken` unless verify returns this status. A shop may verify in the background, and
   * return `pending` until it knows.
   */
  async mustBe(status: ShopPayment['status'], because: string): Promise<ShopPayment> {
    const { shop } = this;
    let shown = preparedDataOf(await this.verify(), shopPaymentSchema);
    if (shown.status === 'pending' && (status !== 'pending' || shop.verifiesInBackground)) {
      shown = preparedDataOf(await this.verify(), shopPaymentSchema);
      shop.verifiesInBackground ||= shown.status !== 'pending';
    }
    must(
      shown.status === status,
      `verify returned "${shown.status}" ${because}, expected "${status}".`,
    );
    return shown;
  }

  /** Verifies until the shop shows this status, if that only prepares a rule. */
  known(status: ShopPayment['status']): Promise<ShopPayment> {
    return prepare(() => this.mustBe(status, 'while the check prepared a rule'));
  }

  /**
   * Throws `RuleBroken` unless the shop says 503 or `pending` while the service gives no usable
   * response.
   */
  async mustNotDecide(response: ShopResponse, because: string): Promise<void> {
    const { status, what } = response;
    if (status === 503) return;
    must(status === 200, `${what} should be 503 or "pending" ${because}.`);
    const shown = preparedDataOf(response, shopPaymentSchema);
    must(shown.status === 'pending', `verify returned "${shown.status}" ${because}.`);
  }

  /** Begins another payment of this order, after one that failed. */
  async paysAgain(): Promise<Payable> {
    this.payable = await prepare(async () => payableOf(await this.retry()));
    if (!this.references.includes(this.reference)) this.references.push(this.reference);
    return this.payable;
  }

  // The service plays these.

  /** Pays at the service, by card and at once. */
  async pay(): Promise<PayResult> {
    const { key: merchant, ...payment } = this.#payment();
    const { control } = this.shop.sandbox;
    const result = await atSandbox(() => control.pay({ merchant, ...payment }));
    if (result.status !== 'successful')
      throw new NotTried(`The sandbox's payment is ${result.status}, not successful.`, true);
    return result;
  }

  /** Starts a payment that waits, and returns what ends it successfully. */
  async startPaying(): Promise<() => Promise<void>> {
    const { url } = this.shop.sandbox;
    const approve = await atSandbox(() => startChallenged(url, this.#payment()));
    return () => atSandbox(approve);
  }

  /** Puts a collection at the service, in any state, such as one with another amount. */
  async put(change: { status?: string; amount?: string; currency?: string }): Promise<void> {
    const { key, reference, amount, currency } = this.payable;
    const collection = { reference, amount, currency, ...change, merchant: key };
    await atSandbox(() => this.shop.sandbox.control.putCollection(collection));
  }

  /** Puts a payment at the service that was paid in another currency. */
  putAnotherCurrency(): Promise<void> {
    return this.put({ currency: this.payable.currency === 'USD' ? 'EUR' : 'USD' });
  }

  /** Lets the service send the webhook of this payment, and returns its delivery. */
  async deliverFromService(times = 1): Promise<Delivery[]> {
    const { deliveries } = await this.shop.story(this.payable);
    const [first] = deliveries;
    if (!first) throw new NotTried('The sandbox has no webhook of this payment.', true);
    const url = new URL(this.shop.options.webhookPath, first.url).href;
    const { control } = this.shop.sandbox;
    return atSandbox(() => control.replayWebhook(first.id, { times, url }));
  }

  /** Returns the body of a webhook about this payment, as the service writes it. */
  async webhookBody(): Promise<string> {
    const { collection } = await this.shop.story(this.payable);
    return JSON.stringify({ event: 'collection.successful', data: collection });
  }

  countVerifies(): Promise<number> {
    return this.shop.countVerifies(this.payable);
  }

  #payment() {
    const { key, reference, amount, currency, email } = this.payable;
    return { key, reference, amount: `${amount}`, currency, email };
  }
}

/** Places a new order, in a new browser unless one is given. If that fails, the rule is not tried. */
export function placeOrder(
  shop: Shop,
  { browser, key }: { browser?: Browser | undefined; key?: string } = {},
): Promise<Order> {
  return prepare(async () => {
    const customer = browser ?? (await shop.newBrowser());
    const payable = payableOf(await shop.place(customer, { key }));
    if (shop.seen.has(payable.reference))
      throw new NotTried('The shop returned an earlier order for a new key.', true);
    shop.seen.add(payable.reference);
    return new Order(shop, customer, payable);
  });
}

/** Places a new order, and pays it at the service. */
export async function placeAndPay(shop: Shop, browser?: Browser): Promise<Order> {
  const order = await placeOrder(shop, { browser });
  await order.pay();
  return order;
}

export function isShownAs({ status, json }: ShopResponse, shown: ShopPayment['status']): boolean {
  const { data } = (json ?? {}) as { data?: { status?: unknown } };
  return status === 200 && data?.status === shown;
}
