import { randomUUID } from 'node:crypto';
import type { Payable } from '@service-pay/contract/shop-api';
import { SHOP_ROUTES } from '@service-pay/contract/shop-routes';
import { SIGNATURE_HEADER } from '@service-pay/contract/webhook';
import { signWebhook } from '@service-pay/contract/webhook-signature';
import type { CollectionStory } from '../../control/outputs.ts';
import { NotTried } from '../must.ts';
import { atSandbox, type BorrowedSandbox } from './borrowed-sandbox.ts';
import { Browser } from './browser.ts';
import { callShop, type ShopResponse } from './call-shop.ts';
import { pathOf } from './responses.ts';

/** An order, with the references of its payments. */
export interface Placed {
  readonly reference: string;
  readonly references: readonly string[];
}

export interface ShopOptions {
  /** The shop's origin. */
  readonly url: string;
  /** The body of its order route: JSON. */
  readonly orderBody: string;
  readonly placePath: string;
  readonly webhookPath: string;
  /** A page that sets the cookies which the shop's own page has before it orders. */
  readonly pagePath?: string | undefined;
  readonly pageHeaders: readonly (readonly [name: string, value: string])[];
  /** The shop's API token. */
  readonly token: string;
  readonly previousToken?: string | undefined;
  /** Reads the references that the shop has fulfilled, as text. */
  readonly readFulfilled?: (() => Promise<string>) | undefined;
  readonly sleep: (ms: number) => Promise<void>;
}

/** Within 2 s of a question to the service, a shop may return what it knew (D59). */
export const VERIFIES_AGAIN_AFTER_MS = 2_100;
/** A fault: the service says that a payment failed which was paid. */
export const SAYS_FAILED = { kind: 'change', changes: { status: 'failed' } } as const;
const POLLS_EVERY_MS = 500;

/** The shop that is checked, called as its customers' browsers and as the service call it. */
export class Shop {
  readonly options: ShopOptions;
  readonly sandbox: BorrowedSandbox;
  /** The references of all orders. */
  readonly seen = new Set<string>();
  /** Orders that were shown as paid: each must have been fulfilled once. */
  readonly paid = new Set<Placed>();
  /** Orders that must never be fulfilled. */
  readonly unpaid = new Set<Placed>();
  /** True if the shop acknowledges webhooks; null while nobody knows. */
  takesWebhooks: boolean | null = null;
  /** True once verify returned `pending`, and a little later what the service says. */
  verifiesInBackground = false;
  /** An order that is paid, and whose webhook and page are lost. */
  abandoned: { readonly payable: Payable; readonly paidAt: number } | undefined;

  constructor(options: ShopOptions, sandbox: BorrowedSandbox) {
    this.options = options;
    this.sandbox = sandbox;
  }

  /** Opens the shop in a browser that it does not know. */
  async newBrowser(): Promise<Browser> {
    const { url, pageHeaders, pagePath, sleep } = this.options;
    const isServiceFaulty = () => this.sandbox.isServiceFaulty;
    const browser = new Browser({ shopUrl: url, pageHeaders, sleep, isServiceFaulty });
    if (pagePath !== undefined) await browser.visit(pagePath);
    return browser;
  }

  place(
    browser: Browser,
    { key = randomUUID(), body }: { key?: string | undefined; body?: string } = {},
  ): Promise<ShopResponse> {
    const headers = { 'idempotency-key': key };
    return browser.call('POST', this.options.placePath, {
      body: body ?? this.options.orderBody,
      headers,
    });
  }

  open(browser: Browser): Promise<ShopResponse> {
    return browser.call(SHOP_ROUTES.open.method, pathOf('open'));
  }

  /** Posts a webhook, signed with the shop's token unless another signature is given. */
  deliver(body: string, signature: string | null = signWebhook(body, this.options.token)) {
    const headers = {
      'content-type': 'application/json',
      ...(signature !== null && { [SIGNATURE_HEADER]: signature }),
    };
    const path = this.options.webhookPath;
    return callShop(this.options.url, { method: 'POST', path, headers, body });
  }

  /** Reads what the sandbox knows about a payment. */
  story({ key, reference }: Payable): Promise<CollectionStory> {
    return atSandbox(() => this.sandbox.control.collection(key, reference));
  }

  /** How often the shop has verified a payment. */
  async countVerifies(payable: Payable): Promise<number> {
    const { story } = await this.story(payable);
    return story.filter(({ kind, detail }) => kind === 'request' && isVerify(`${detail?.['path']}`))
      .length;
  }

  /** Calls `read` every half second until it returns a value, or for `forMs`. */
  async until<Value>(
    forMs: number,
    read: () => Promise<Value | undefined>,
  ): Promise<Value | undefined> {
    for (let waitedMs = 0; ; waitedMs += POLLS_EVERY_MS) {
      const value = await read();
      if (value !== undefined || waitedMs >= forMs) return value;
      await this.options.sleep(POLLS_EVERY_MS);
    }
  }

  /** Calls `read`, and once more after a pause if the value is not right. */
  async twice<Value>(
    read: () => Promise<Value>,
    isRight: (value: Value) => boolean,
  ): Promise<Value> {
    const value = await read();
    if (isRight(value)) return value;
    await this.options.sleep(VERIFIES_AGAIN_AFTER_MS);
    return read();
  }

  /** Reads what the shop has fulfilled, and returns its words. */
  async readFulfilled(): Promise<readonly string[]> {
    const { readFulfilled } = this.options;
    if (!readFulfilled) throw new NotTried('Pass --fulfilled <address or command>.');
    return (await readFulfilled()).split(/[^\w.-]+/).filter((word) => word !== '');
  }
}

function isVerify(path: string): boolean {
  return path.startsWith('/access/v2/collections');
}
