import { ManualClock } from '@service-pay/server/testing';
import { Browser, type Tab } from './browser.ts';
import { Laws } from './laws.ts';
import {
  type InTab,
  MOST_TABS,
  press,
  type ShoppingHistory,
  type Step,
  submit,
  wait,
} from './steps.ts';
import { HOUR_MS, MINUTE_MS, ModelledService, ModelledShop, nameOf, SECOND_MS } from './world.ts';

/** Plays a history to its end. Throws with its story if a rule is broken. */
export async function playShopping(shopping: ShoppingHistory): Promise<void> {
  const customer = new Customer(shopping);
  try {
    for (const one of shopping.steps) await customer.take(one);
    await customer.finish();
  } catch (error) {
    throw new Error(`${(error as Error).message}\n${customer.story.join('\n')}`, { cause: error });
  }
}

type Action = { name: string; cart?: string; act(): void };

class Customer {
  readonly clock = new ManualClock();
  readonly service = new ModelledService(this.clock);
  readonly shop = new ModelledShop(this.service, this.clock);
  readonly story: string[] = [];
  readonly #laws = new Laws(this.shop, this.service);
  readonly #browsers: Browser[];
  readonly #isSideBySide: boolean;
  readonly #opened = new WeakSet<object>();
  /** The orders of a cart that the customer wants on a device: one, and one for each second order. */
  readonly #wanted = new Map<string, number>();
  readonly #knownPaid = new Set<string>();
  /** The payments that a popup of a tab left open when it closed, as the real popup remembers. */
  readonly #unconfirmed = new Set<string>();

  constructor({ keepsNothing, isSideBySide }: ShoppingHistory) {
    const build = (name: string) => new Browser({ name, keepsNothing }, this.shop, this.clock);
    this.#browsers = [build('phone'), build('laptop')];
    this.#isSideBySide = isSideBySide;
  }

  get #tabs(): Tab[] {
    return this.#browsers.flatMap(({ tabs }) => tabs);
  }

  async take(one: Step): Promise<void> {
    this.#look(); // a hasty customer sees, too, what came up meanwhile
    const done = await this.#do(one);
    if (!done) return;
    if (one.do !== 'press' || !one.isHasty) await this.#pass(SECOND_MS);
    this.#look();
    this.story.push(`${done} -> ${this.#tabs.map((each) => this.#describe(each)).join('; ')}`);
    this.#laws.check(this.#tabs, this.#wanted);
  }

  /** Everything works again, every form is submitted, every prompt approved: then all must be well. */
  async finish(): Promise<void> {
    await this.take({ do: 'network', network: 'works', latencyMs: 0 });
    await this.take({ do: 'service', responds: true });
    for (const browser of this.#browsers)
      if (browser.tabs.length) await this.take({ do: 'open shop', device: this.#at(browser) });
    for (const at of this.#tabs.keys()) {
      await this.take({ do: 'switch to', tab: at });
      if (!this.#tabs[at]!.popup) await this.take({ ...press, tab: at });
      await this.take({ ...submit, tab: at });
    }
    while (this.service.promptsOut.length)
      await this.take({ do: 'approve', prompt: 0, isReported: false });
    await this.take(wait(31 * MINUTE_MS));
    await this.#learnWhatWasPaid();
    for (const each of this.#tabs) {
      this.#show(each);
      if (each.popup) this.#closePopup(each);
      await this.#pass(20 * SECOND_MS);
      this.#look();
      this.#laws.checkEnd(each);
    }
    for (const order of this.shop.orders) {
      const browser = this.#browsers.find(({ owner }) => owner === order.owner);
      if (!browser) continue; // of a guest who has signed in
      const link = browser.open(`/return=${order.payments[0]!.reference}`, 'honey');
      await this.#pass(4 * SECOND_MS);
      const isPaid = order.payments.some(({ reference }) => this.service.isPaid(reference));
      if ((link.flow.state.screen === 'paid') !== isPaid)
        throw new Error(
          `The link to ${order.payments[0]!.reference} says ${link.flow.state.screen}.`,
        );
      link.close();
    }
  }

  /** The shop's page says that an order was paid, unless the customer has seen that already. */
  async #learnWhatWasPaid(): Promise<void> {
    for (const browser of this.#browsers) {
      const orders = this.shop.orders.filter(({ owner }) => owner === browser.owner);
      const all = this.shop.orders.filter(({ device }) => device === browser.device.name);
      if (all.length !== orders.length) continue; // an order of another owner comes first
      const isPaid = orders[0]?.payments.some(({ reference }) => this.service.isPaid(reference));
      if (orders.length !== 1 || !isPaid || browser.device.keepsNothing) continue;
      const shop = browser.open('/', 'honey');
      await this.#pass(4 * SECOND_MS);
      this.#look();
      if (!this.#knownPaid.has(nameOf(orders[0]!)))
        throw new Error(`The order is paid, and the shop says ${shop.flow.state.screen}.`);
      shop.close();
    }
  }

  async #do(one: Step): Promise<string | undefined> {
    switch (one.do) {
      case 'open shop':
        return this.#open(one.device, '/');
      case 'open link': {
        const references = this.shop.orders.flatMap(({ payments }) => payments);
        const payment = pick(references, one.reference);
        return payment && this.#open(one.device, `/return=${payment.reference}`);
      }
      case 'approve':
      case 'decline': {
        const reference = pick(this.service.promptsOut, one.prompt);
        if (!reference) return undefined;
        this.service.endPrompt(reference, one.do === 'approve');
        const isReported = one.do === 'approve' && one.isReported && this.service.responds;
        if (isReported) this.shop.confirm(reference);
        // without a storage, this customer goes by the phone
        if (one.do === 'approve' && this.#browsers[0]!.device.keepsNothing)
          this.#knownPaid.add(this.#cartOf(reference));
        return `${one.do} ${reference}${isReported ? ', webhook' : ''}`;
      }
      case 'wait':
        await this.#pass(SECOND_MS);
        this.#look(); // what a press brought is on screen before the tab sleeps
        if (one.ms > HOUR_MS) await this.clock.jump(one.ms);
        else await this.#pass(one.ms - SECOND_MS);
        return `${one.ms / SECOND_MS} s pass`;
      case 'sign in':
        return this.#signIn(this.#browsers[one.device]!, one.keeps);
      case 'service':
        if (this.service.responds === one.responds) return undefined;
        this.service.responds = one.responds;
        return one.responds ? 'the service responds' : 'the service is away';
      case 'network':
        for (const browser of this.#browsers) {
          browser.network = one.network;
          browser.latencyMs = one.latencyMs;
          for (const each of browser.tabs)
            each.hear(one.network === 'is down' ? 'offline' : 'online');
        }
        return `the network ${one.network}, ${one.latencyMs} ms`;
      default: {
        const each = pick(this.#tabs, one.tab);
        const done = each && this.#doInTab(one, each);
        return done && `${done} in tab ${this.#tabs.indexOf(each) + 1}`;
      }
    }
  }

  /**
   * Signs in, which moves the browser's orders to the account if the shop calls changeOwner (D64).
   * Nobody signs in while a form is open.
   */
  #signIn(browser: Browser, keeps: boolean): string | undefined {
    const { name } = browser.device;
    const owner = `${name}'s account`;
    if (browser.owner === owner || !browser.tabs.length) return undefined;
    if (browser.network === 'is down' || browser.tabs.some(({ popup }) => popup)) return undefined;
    // without a storage, nobody knows of a payment that the shop no longer shows
    const isKept = keeps || browser.device.keepsNothing;
    if (isKept) this.shop.changeOwner(name, owner);
    browser.owner = owner;
    const tab = browser.tabs.find(({ isVisible }) => isVisible) ?? browser.tabs[0]!;
    tab.reload();
    return `sign in on the ${name}${isKept ? ', orders kept' : ''}`;
  }

  #doInTab(one: Extract<Step, InTab>, each: Tab): string | undefined {
    const { browser } = each;
    if (one.do !== 'switch to' && one.do !== 'close tab' && one.do !== 'freeze') this.#show(each);
    this.#look(); // whoever presses a button has seen what it is on
    switch (one.do) {
      case 'switch to':
        this.#show(each);
        return 'look';
      case 'close tab':
        if (this.#tabs.length === 1) return undefined;
        each.close();
        return 'close another';
      case 'reload':
      case 'go back':
        if (browser.network === 'is down') return undefined;
        if (one.do === 'reload') each.reload();
        else each.goBack();
        return one.do;
      case 'freeze':
        if (this.#tabs.length === 1 || each.popup) return undefined;
        each.freeze();
        return 'freeze another';
      case 'change cart':
        if (each.address !== '/' || each.popup) return undefined;
        each.changeCart(each.cart === 'honey' ? 'coffee' : 'honey');
        return `put ${each.cart} into the cart`;
      case 'press': {
        const action = pick(this.#actions(each), one.what);
        if (!action) return undefined;
        action.act();
        return `press ${action.name}${one.isHasty ? ', hastily,' : ''}`;
      }
      case 'submit': {
        const { popup } = each;
        if (!popup || !this.service.responds || this.#knownPaid.has(this.#cartOf(popup.reference)))
          return undefined;
        if (!this.service.submit(popup.reference)) return undefined;
        this.#unconfirmed.add(popup.reference);
        return `submit ${popup.reference}`;
      }
      case 'get more time':
        if (!each.popup || !this.service.extend(each.popup.reference)) return undefined;
        return `get more time for ${each.popup.reference}`;
      case 'close popup':
        return (
          each.popup && `close the popup of ${each.popup.reference}: ${this.#closePopup(each)}`
        );
    }
  }

  /** The buttons of a page. A customer who knows that a cart is paid does not pay for it again. */
  #actions(each: Tab): Action[] {
    if (each.popup) return [];
    const { flow, cart } = each;
    const { can, screen, asks, payment } = flow.state;
    const isDone = (of: string) => this.#knownPaid.has(of);
    const wanted = nameOf({ cart, device: each.browser.device.name });
    const own = payment ? this.#cartOf(payment.reference) : wanted;
    const actions: Action[] = [];
    const isShop = screen === 'shop' || screen === 'unfinished';
    if (can.payAgain && !isDone(own))
      actions.push({ name: 'Try again', act: () => this.#reopen(each, 'payAgain') });
    if (can.resume && !isDone(own))
      actions.push({ name: 'Continue', act: () => this.#reopen(each, 'resume') });
    if (can.pay && isShop && !isDone(wanted)) {
      actions.push({ name: `Pay ${cart}`, act: () => this.#pay(each, false) });
      if (asks) actions.push({ name: 'Second order', act: () => this.#pay(each, true) });
    }
    if (!isShop && screen !== 'placing' && screen !== 'checking')
      actions.push({ name: 'Back to the shop', act: () => each.load('/') });
    return actions;
  }

  #reopen(each: Tab, how: 'resume' | 'payAgain'): void {
    each.paysFor = undefined;
    void each.flow[how]();
  }

  #pay(each: Tab, isSecond: boolean): void {
    const wanted = nameOf({ cart: each.cart, device: each.browser.device.name });
    const isPlaced = this.shop.orders.some((order) => nameOf(order) === wanted);
    if (!this.#wanted.has(wanted)) this.#wanted.set(wanted, 1);
    else if (isSecond && isPlaced) this.#wanted.set(wanted, this.#wanted.get(wanted)! + 1);
    if (isSecond) each.flow.payAnother();
    each.pay();
  }

  #closePopup(each: Tab): string {
    const popup = each.popup!;
    const { reference } = popup;
    each.popup = undefined;
    const knows = this.service.responds && each.browser.network === 'works';
    const name = !knows
      ? this.#unconfirmed.has(reference)
        ? 'onConfirmationPending'
        : 'onClose'
      : this.service.isPaid(reference)
        ? 'onSuccess'
        : this.service.isPromptOut(reference)
          ? 'onConfirmationPending'
          : 'onClose';
    if (name === 'onClose') this.#unconfirmed.delete(reference);
    popup[name]();
    return name;
  }

  #open(device: number, address: string): string | undefined {
    const browser = this.#browsers[device]!;
    if (browser.network === 'is down') return undefined;
    if (browser.tabs.length === MOST_TABS) {
      const last = browser.tabs.at(-1)!;
      this.#show(last);
      this.#look(); // whoever leaves a page has seen it
      last.load(address);
    } else {
      const before = browser.tabs.filter(({ isVisible }) => isVisible);
      browser.open(address, 'honey');
      if (this.#isSideBySide) for (const each of before) each.setVisible(true);
    }
    return `open ${address} on the ${browser.device.name}`;
  }

  #show(each: Tab): void {
    if (this.#isSideBySide) each.setVisible(true);
    else each.browser.show(each);
  }

  #look(): void {
    for (const { popup, isVisible, flow, browser, paysFor } of this.#tabs) {
      if (popup && !this.#opened.has(popup)) {
        this.#opened.add(popup);
        this.service.open(popup.reference);
        const paid = this.#cartOf(popup.reference);
        if (paysFor && paid !== nameOf({ cart: paysFor, device: browser.device.name }))
          throw new Error(`The customer pays for ${paysFor}, and the popup is of ${paid}.`);
      }
      const { screen, payment } = flow.state;
      if (isVisible && screen === 'paid' && payment)
        this.#knownPaid.add(this.#cartOf(payment.reference));
    }
  }

  async #pass(ms: number): Promise<void> {
    await this.clock.advance(ms);
  }

  #cartOf(reference: string): string {
    const order = this.shop.orders.find(({ payments }) =>
      payments.some((payment) => payment.reference === reference),
    );
    return order ? nameOf(order) : '';
  }

  #at(browser: Browser): number {
    return this.#browsers.indexOf(browser);
  }

  #describe({ browser, address, cart, flow, popup, isVisible }: Tab): string {
    const { screen, payment, asks, trouble, problem } = flow.state;
    const more = [payment?.reference, asks, trouble, problem?.code, popup && 'popup'].filter(
      Boolean,
    );
    return `${browser.device.name}${isVisible ? '*' : ''} ${address} ${cart}: ${screen} ${more.join(' ')}`;
  }
}

function pick<Item>(items: readonly Item[], at: number): Item | undefined {
  return items.length ? items[at % items.length] : undefined;
}
