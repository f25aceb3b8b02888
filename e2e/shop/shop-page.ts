import type { Locator, Page } from '@playwright/test';
import type { PaymentPopup } from '@service-pay/sandbox/playwright';
import { test as base } from '../stack.ts';
import { reachPrompt } from '../support/expect-prompt.ts';

/** Playwright's `test` with `shopPage`: the shop's own pages, as a customer sees them in a tab. */
export const test = base.extend<{ shopPage: ShopPage }>({
  shopPage: async ({ page, popup, service: _reset, stack }, use) => {
    await use(new ShopPage(page, popup, stack.shopUrl));
  },
});

export { expect } from '../stack.ts';

export class ShopPage {
  readonly heading: Locator;
  readonly status: Locator;
  readonly alert: Locator;
  /** The button below the cart. */
  readonly pay: Locator;
  /** The bar above the cart that names a payment this browser began and did not finish. */
  readonly unfinished: Locator;
  /** The card that says how a payment stands. */
  readonly card: Locator;
  readonly backToShop: Locator;
  /** The references of the payments that this tab got from the shop, each once. */
  readonly references: string[] = [];
  readonly #page: Page;
  readonly #popup: PaymentPopup;
  readonly #url: string;

  constructor(page: Page, popup: PaymentPopup, url: string) {
    this.#page = page;
    this.#popup = popup;
    this.#url = url;
    this.heading = page.getByRole('heading', { level: 1 });
    this.status = page.getByRole('status');
    this.alert = page.getByRole('alert');
    this.pay = page.getByRole('button', { name: /^Pay ZMW/ });
    this.unfinished = page.getByText(/^You have an unfinished payment of ZMW/);
    this.card = page.locator('#result');
    this.backToShop = page.getByRole('link', { name: 'Back to the shop' });
    page.on('response', async (response) => {
      if (!/\/api\/(orders|payments\/[^/]+\/retry)$/.test(new URL(response.url()).pathname)) return;
      // The body goes with its page.
      const body: { data?: { reference: string } } = await response.json().catch(() => ({}));
      const { reference } = body.data ?? {};
      if (reference && !this.references.includes(reference)) this.references.push(reference);
    });
  }

  /** The same shop in another tab. */
  in(tab: Page): ShopPage {
    return new ShopPage(tab, this.#popup, this.#url);
  }

  async open(path = '/'): Promise<void> {
    await this.#page.goto(this.#url + path);
  }

  /** Opens the page to which a payment returns. */
  async openReturn(reference: string): Promise<void> {
    await this.open(`/payments/return?reference=${reference}`);
  }

  button(name: string | RegExp): Locator {
    return this.#page.getByRole('button', { name });
  }

  /** Presses Pay, pays by phone and leaves the popup while the phone shows the prompt. */
  async leaveAtPrompt(button = this.pay): Promise<void> {
    await button.click();
    await reachPrompt(this.#popup);
    await this.#popup.leave('close-anyway');
  }

  /** Presses Pay and leaves the popup before anything is paid. */
  async leaveUntouched(): Promise<void> {
    await this.pay.click();
    await this.#popup.expectOpen();
    await this.#popup.close.click();
    await this.#popup.expectClosed();
  }
}
