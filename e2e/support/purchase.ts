import { expect } from '@playwright/test';
import type { Collection } from '@service-pay/contract/collection';
import { type Ending, expectStored, OUTCOMES } from './expect-ending.ts';
import {
  type CallbackName,
  type MerchantSite,
  type OwnPage,
  optionsOf,
  type SitePage,
} from './merchant-site.ts';
import type { ServiceControl } from './service-control.ts';
import type { Order, ShopClient } from './shop-client.ts';

interface Programs {
  site: MerchantSite;
  shop: ShopClient;
  service: ServiceControl;
}

/** An order of the shop, and its payment on a page of the merchant's site. */
export class Purchase {
  readonly order: Order;
  readonly #page: SitePage;
  readonly #programs: Programs;

  constructor(page: SitePage, order: Order, programs: Programs) {
    this.#page = page;
    this.order = order;
    this.#programs = programs;
  }

  get reference(): string {
    return this.order.reference;
  }

  /** The same order on another page, such as a second tab. */
  on(page: SitePage): Purchase {
    return new Purchase(page, this.order, this.#programs);
  }

  /** Another order of the same customer, here or on another page. */
  async another(page = this.#page): Promise<Purchase> {
    return new Purchase(page, await this.#programs.shop.order(), this.#programs);
  }

  /** The address of a page of the merchant's own whose button pays for the order. */
  addressOn(own: OwnPage, url = this.#programs.site.url): string {
    return url + this.#programs.site.publish(own) + optionsOf(this.order);
  }

  /** Opens the popup for the order, with `options` in place of the order's own. */
  async open(options: object = {}, url?: string): Promise<void> {
    await this.#programs.site.pay(this.#page, { ...this.order, ...options }, url);
  }

  async expectOutcome(outcome: (typeof OUTCOMES)[CallbackName]): Promise<void> {
    await expect
      .poll(() => this.#programs.site.outcome(this.#page))
      .toEqual({ outcome, reference: this.reference });
  }

  async expectCallback(name: CallbackName): Promise<void> {
    const calls = () => this.#programs.site.calls(this.#page);
    await expect.poll(async () => (await calls()).map((call) => call.name)).toEqual([name]);
  }

  /**
   * Asserts that page, shop and service agree: exactly one callback, once, with the right argument
   * and after the window had gone (D1, D2); the handle's promise says the same (D3); the shop
   * verified the payment and stored what it learned; and the goods go out once if the payment is
   * paid, otherwise not at all.
   */
  async expectEnding(ending: Ending): Promise<void> {
    const { site } = this.#programs;
    await this.expectOutcome(OUTCOMES[ending.callback]);
    const argument = ending.callback === 'onSuccess' ? [{ reference: this.reference }] : [];
    const calls = [{ name: ending.callback, arguments: argument, dialogOpen: false }];
    await expect.poll(() => site.calls(this.#page)).toEqual(calls);

    await this.expectStored(ending);
    expect(await site.calls(this.#page)).toEqual(calls);
  }

  /** Has the shop look at the payment, and asserts what it and the service then hold. */
  async expectStored(ending: Ending): Promise<void> {
    const { shop } = this.#programs;
    await expectStored(this.#programs, this.reference, ending, async () => {
      await shop.verify(this.reference);
    });
  }

  collection(): Promise<Collection | undefined> {
    return this.#programs.service.collectionOf(this.reference);
  }

  deliveries(): ReturnType<ServiceControl['deliveriesOf']> {
    return this.#programs.service.deliveriesOf(this.reference);
  }
}
