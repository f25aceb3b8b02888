import type { ManualClock } from '@service-pay/server/testing';
import {
  type FlowStorage,
  OrderFlow,
  type Page,
  type PageNews,
  type PopupCallbacks,
  type PopupOptions,
  type ShopApi,
  ShopError,
} from '@service-pay/widget/headless';
import type { ModelledShop, Network } from './world.ts';

export type Popup = PopupOptions & PopupCallbacks;

export interface Device {
  name: string;
  keepsNothing: boolean;
}

/** One browser: tabs that share a storage, a lock and a network. */
export class Browser {
  readonly device: Device;
  readonly shop: ModelledShop;
  readonly clock: ManualClock;
  readonly tabs: Tab[] = [];
  network: Network = 'works';
  /** Whom the shop's cookie names: the browser, or the account after a sign-in. */
  owner: string;
  /** The shop's time to respond to the next calls. */
  latencyMs = 0;
  readonly #items = new Map<string, string>();
  #lastLock: Promise<unknown> = Promise.resolve();

  constructor(device: Device, shop: ModelledShop, clock: ManualClock) {
    this.device = device;
    this.owner = device.name;
    this.shop = shop;
    this.clock = clock;
  }

  storageOf(tab: Tab): FlowStorage | undefined {
    if (this.device.keepsNothing) return undefined;
    const changed = () => {
      for (const other of this.tabs) if (other !== tab) other.hear('storage');
    };
    return {
      getItem: (name) => this.#items.get(name) ?? null,
      setItem: (name, text) => {
        if (this.#items.get(name) === text) return;
        this.#items.set(name, text);
        changed();
      },
      removeItem: (name) => {
        if (this.#items.delete(name)) changed();
      },
    };
  }

  /**
   * Runs a task under the lock, or without it once the wait has ended. A closed tab releases it, and
   * a frozen one does not.
   */
  lock(
    task: () => Promise<void>,
    waiting: AbortSignal,
    left: AbortSignal,
    isFrozen: () => boolean,
  ): Promise<void> {
    const before = this.#lastLock;
    const waited = new Promise<void>((resolve) => {
      waiting.addEventListener('abort', () => resolve());
    });
    const begun = Promise.race([before, waited]);
    const turn = begun.then(() => (left.aborted ? new Promise<never>(() => {}) : task()));
    const isLeft = new Promise<void>((resolve) => {
      const leave = () => isFrozen() || resolve();
      if (left.aborted) leave();
      left.addEventListener('abort', leave);
    });
    this.#lastLock = begun.then(() => Promise.race([turn.catch(() => undefined), isLeft]));
    return turn;
  }

  async call<Result>(respond: () => Result): Promise<Result> {
    if (this.network === 'is down') throw new ShopError(0, 'unreachable');
    const isLost = this.network === 'loses responses';
    if (this.latencyMs)
      await new Promise<void>((resolve) => void this.clock.after(this.latencyMs, resolve));
    const result = respond();
    if (isLost) throw new ShopError(0, 'unreachable');
    return result;
  }

  open(address: string, cart: string): Tab {
    const tab = new Tab(this, cart);
    this.tabs.push(tab);
    this.show(tab);
    tab.load(address);
    return tab;
  }

  show(tab: Tab): void {
    for (const other of this.tabs) if (other !== tab) other.setVisible(false);
    tab.setVisible(true);
  }
}

/** A tab with the pages of a shop: the cart at `/`, and the return page of a reference. */
export class Tab {
  readonly browser: Browser;
  readonly #history: string[] = [];
  cart: string;
  flow!: OrderFlow;
  popup: Popup | undefined;
  /** The cart of the last press of Pay; undefined after a press that opens a payment again. */
  paysFor: string | undefined;
  /** The unfinished payment that the page showed last. */
  unfinished: string | undefined;
  streams = 0;
  callsUnderWay = 0;
  isVisible = false;
  #listener: ((news: PageNews) => void) | undefined;
  #leave = new AbortController();
  #isFrozen = false;

  constructor(browser: Browser, cart: string) {
    this.browser = browser;
    this.cart = cart;
  }

  get address(): string {
    return this.#history.at(-1)!;
  }

  load(address: string): void {
    if (this.#history.at(-1) !== address) this.#history.push(address);
    this.#run();
  }

  reload(): void {
    this.#run();
  }

  goBack(): void {
    if (this.#history.length > 1) this.#history.pop();
    this.#run();
  }

  changeCart(cart: string): void {
    this.cart = cart;
    if (this.address === '/') void this.flow.start({ cart });
  }

  pay(): void {
    const { browser, cart } = this;
    this.paysFor = cart;
    void this.flow.pay(
      (key) => this.#call(() => browser.shop.place(browser.device.name, browser.owner, key, cart)),
      {
        cart,
      },
    );
  }

  setVisible(isVisible: boolean): void {
    if (this.isVisible === isVisible) return;
    this.isVisible = isVisible;
    this.hear(isVisible ? 'visible' : 'hidden');
  }

  hear(news: PageNews): void {
    this.#listener?.(news);
  }

  /** Stops for ever, also while it holds the lock: a debugger, an alert, a phone that sleeps (T154). */
  freeze(): void {
    this.#isFrozen = true;
    this.#leave.abort();
    this.browser.tabs.splice(this.browser.tabs.indexOf(this), 1);
  }

  close(): void {
    this.#leave.abort();
    this.flow.stop();
    this.popup = undefined;
    this.browser.tabs.splice(this.browser.tabs.indexOf(this), 1);
  }

  /** A closed page gets no response. */
  async #call<Result>(respond: () => Result): Promise<Result> {
    const { signal } = this.#leave;
    this.callsUnderWay++;
    const call = this.browser.call(respond).finally(() => this.callsUnderWay--);
    const result = await call.catch((error: unknown) => {
      if (signal.aborted) return new Promise<never>(() => {});
      throw error;
    });
    return signal.aborted ? new Promise<never>(() => {}) : result;
  }

  #run(): void {
    this.#leave.abort();
    this.flow?.stop();
    this.popup = undefined;
    this.unfinished = undefined;
    this.streams = 0;
    this.#listener = undefined;
    this.#leave = new AbortController();
    const { signal } = this.#leave;
    const { browser } = this;
    const { shop, clock } = browser;
    const page: Page = {
      isVisible: () => this.isVisible && !signal.aborted,
      isOffline: () => browser.network === 'is down',
      isFramed: false,
      after: (ms, task) => clock.after(ms, () => !signal.aborted && task()),
      watch: (listener) => {
        this.#listener = listener;
        return () => {
          if (this.#listener === listener) this.#listener = undefined;
        };
      },
      listen: () => {},
      lock: (task, waiting) => browser.lock(task, waiting, signal, () => this.#isFrozen),
      report: (error) => {
        throw error;
      },
      print: () => {},
      storage: browser.storageOf(this),
    };
    const api: ShopApi = {
      verify: (reference) => this.#call(() => shop.verify(browser.owner, reference)),
      retry: (reference) => this.#call(() => shop.retry(browser.owner, reference)),
      open: () => this.#call(() => shop.open(browser.owner)),
      events: () => {
        this.streams++;
        return { close: () => void this.streams-- };
      },
    };
    const getPaid = (popup: Popup) => {
      this.popup = popup;
    };
    this.flow = new OrderFlow({ api, getPaid }, page);
    this.flow.subscribe(() => this.#draw());
    const reference = this.address.split('=')[1];
    if (reference) this.flow.show(reference);
    else void this.flow.start({ cart: this.cart });
  }

  /** A page with a result of its own has an address of its own, so that a reload shows it again. */
  #draw(): void {
    const { screen, payment } = this.flow.state;
    const isResult = ['checking', 'pending', 'review', 'paid', 'failed', 'refused'].includes(
      screen,
    );
    if (isResult && payment && this.address === '/')
      this.#history[this.#history.length - 1] = `/return=${payment.reference}`;
    const isShop = screen === 'shop' || screen === 'unfinished';
    if (isShop && this.address !== '/') queueMicrotask(() => this.load('/'));
  }
}
