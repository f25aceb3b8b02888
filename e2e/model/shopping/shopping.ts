import { ManualClock } from '@service-pay/server/testing';
import fc from 'fast-check';
import { Browser, type Device, type Tab } from './browser.ts';
import {
  HOUR_MS,
  MINUTE_MS,
  ModelledService,
  ModelledShop,
  type Network,
  SECOND_MS,
} from './world.ts';

const MOST_TABS = 4;
const ENDS = ['paid', 'failed', 'refused', 'review', 'unknown-order'];

type InTab = { tab: number };
export type Step =
  | { do: 'open shop'; device: number }
  | { do: 'open link'; device: number; reference: number }
  | ({
      do:
        | 'reload'
        | 'go back'
        | 'switch to'
        | 'close tab'
        | 'submit'
        | 'get more time'
        | 'close popup';
    } & InTab)
  | ({ do: 'press'; what: number; isHasty: boolean } & InTab)
  | ({ do: 'change cart' } & InTab)
  | { do: 'sign in'; device: number; keeps: boolean }
  | ({ do: 'freeze' } & InTab)
  | { do: 'approve'; prompt: number; isReported: boolean }
  | { do: 'decline'; prompt: number }
  | { do: 'wait'; ms: number }
  | { do: 'service'; responds: boolean }
  | { do: 'network'; network: Network; latencyMs: number };

export interface Shopping {
  keepsNothing: boolean;
  isSideBySide: boolean;
  steps: Step[];
}

const tab = fc.nat(MOST_TABS - 1);
const device = fc.constantFrom(0, 0, 0, 1);
const index = fc.nat(5);
const of = <const Name extends string>(...names: Name[]) => fc.constantFrom(...names);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: of('open shop'), device }) },
  { weight: 2, arbitrary: fc.record({ do: of('open link'), device, reference: index }) },
  {
    weight: 5,
    arbitrary: fc.record({ do: of('reload', 'go back', 'switch to', 'close tab'), tab }),
  },
  {
    weight: 12,
    arbitrary: fc.record({
      do: of('press'),
      tab,
      what: fc.constantFrom(0, 0, 1, 2),
      isHasty: fc.constantFrom(false, false, true),
    }),
  },
  { weight: 6, arbitrary: fc.record({ do: of('submit'), tab }) },
  { weight: 6, arbitrary: fc.record({ do: of('close popup'), tab }) },
  { weight: 2, arbitrary: fc.record({ do: of('get more time', 'change cart'), tab }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: of('approve'), prompt: index, isReported: fc.boolean() }),
  },
  { weight: 3, arbitrary: fc.record({ do: of('decline'), prompt: index }) },
  {
    weight: 5,
    arbitrary: fc.record({
      do: of('wait'),
      ms: fc.constantFrom(
        3 * SECOND_MS,
        MINUTE_MS,
        4 * MINUTE_MS,
        28 * MINUTE_MS,
        31 * MINUTE_MS,
        25 * HOUR_MS,
      ),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: of('service'), responds: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ do: of('sign in'), device, keeps: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ do: of('freeze'), tab }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: of('network'),
      network: fc.constantFrom<Network>('works', 'works', 'loses responses', 'is down'),
      latencyMs: fc.constantFrom(0, 0, 80, 4 * SECOND_MS),
    }),
  },
);

const open = { do: 'open shop', device: 0 } as const;
const press = { do: 'press', tab: 0, what: 0, isHasty: false } as const;
const submit = { do: 'submit', tab: 0 } as const;
const close = { do: 'close popup', tab: 0 } as const;
const decline = { do: 'decline', prompt: 0 } as const;
const wait = (ms: number) => ({ do: 'wait', ms }) as const;
const inTab = (one: Step, tab: number): Step => ('tab' in one ? { ...one, tab } : one);

const BEGINNINGS: readonly (readonly Step[])[] = [
  [open],
  [open, press, submit, close],
  [open, press, submit, decline, close],
  [open, press, close, open],
  [open, press, submit, close, decline, wait(31 * MINUTE_MS), press, submit, close],
];

export const shoppings: fc.Arbitrary<Shopping> = fc
  .record({
    keepsNothing: fc.constantFrom(false, false, false, true),
    isSideBySide: fc.constantFrom(false, false, true),
    steps: fc
      .tuple(fc.constantFrom(...BEGINNINGS), fc.array(step, { minLength: 4, maxLength: 20 }))
      .map(([beginning, steps]) => [...beginning, ...steps]),
  })
  .map((shopping) => (shopping.keepsNothing ? inOneTab(shopping) : shopping));

/** Without storage, two tabs can each place an order for the same cart (docs/flow.md, Limits). */
function inOneTab(shopping: Shopping): Shopping {
  const [first, ...others] = shopping.steps;
  const steps = others.filter(({ do: what }) => !what.startsWith('open'));
  return { ...shopping, steps: [first!, ...steps] };
}

const usual = (steps: Step[], isSideBySide = false): Shopping => ({
  keepsNothing: false,
  isSideBySide,
  steps,
});

/** Histories that charged twice, or said what was not so, before there was a rule against it. */
export const KNOWN_SHOPPINGS: Readonly<Record<string, Shopping>> = {
  'a reload while a second payment waits on the phone': usual([
    open,
    ...BEGINNINGS[4]!.slice(1),
    { do: 'reload', tab: 0 },
    press,
    submit,
    close,
  ]),
  'more time in one tab and Continue in another (T141)': usual(
    [28 * MINUTE_MS, 25 * HOUR_MS].flatMap((ms) => [
      open,
      press,
      wait(28 * MINUTE_MS),
      { do: 'get more time', tab: 0 },
      wait(ms),
      open,
      inTab(press, 1),
      submit,
      inTab(submit, 1),
      { do: 'approve', prompt: 0, isReported: false },
      { do: 'approve', prompt: 0, isReported: false },
    ]),
    true,
  ),
  'Pay in two tabs at the same moment (T146)': usual(
    [
      open,
      open,
      { do: 'network', network: 'works', latencyMs: 80 },
      { ...press, isHasty: true },
      inTab(press, 1),
      submit,
      inTab(submit, 1),
    ],
    true,
  ),
  'a payment approved after Close anyway, while another tab shows the shop': usual([
    open,
    press,
    submit,
    close,
    open,
    { do: 'approve', prompt: 0, isReported: false },
    wait(4 * SECOND_MS),
    inTab(press, 1),
  ]),
  'Continue in a tab that slept for a day, without a storage': {
    keepsNothing: true,
    isSideBySide: false,
    steps: [
      ...BEGINNINGS[4]!,
      { do: 'open link', device: 0, reference: 0 },
      wait(25 * HOUR_MS),
      open,
      inTab(press, 2),
      press,
      press,
      { do: 'reload', tab: 0 },
      { do: 'reload', tab: 0 },
    ],
  },
  'a sign-in while a prompt is on the phone (T150)': usual([
    ...BEGINNINGS[1]!,
    { do: 'sign in', device: 0, keeps: false },
    open,
    inTab(press, 1),
    inTab(submit, 1),
    { do: 'approve', prompt: 0, isReported: false },
    { do: 'approve', prompt: 0, isReported: false },
  ]),
  'a sign-in after a reload with a prompt on the phone, which no popup reported (T150)': usual([
    open,
    press,
    submit,
    { do: 'reload', tab: 0 },
    { do: 'sign in', device: 0, keeps: false },
    press,
    submit,
    { do: 'approve', prompt: 0, isReported: false },
    { do: 'approve', prompt: 0, isReported: false },
  ]),
  'Pay in a tab, while another one stopped that holds the lock (T154)': usual([
    open,
    open,
    { do: 'network', network: 'works', latencyMs: 4 * SECOND_MS },
    { ...press, isHasty: true },
    { do: 'freeze', tab: 0 },
    press,
    wait(MINUTE_MS),
    submit,
    { do: 'approve', prompt: 0, isReported: false },
  ]),
  'a payment that two windows show, approved on the phone (T136)': usual(
    [
      open,
      press,
      submit,
      close,
      open,
      open,
      { do: 'approve', prompt: 0, isReported: true },
      wait(4 * SECOND_MS),
    ],
    true,
  ),
  'a cart that changes while another tab shows that the payment is paid': usual([
    open,
    press,
    submit,
    close,
    { do: 'press', tab: 0, what: 1, isHasty: false },
    open,
    { do: 'approve', prompt: 0, isReported: false },
    wait(4 * SECOND_MS),
    { do: 'change cart', tab: 0 },
  ]),
  'another cart, and the first one again, after an order whose response was lost': usual([
    open,
    { ...press, isHasty: true },
    { do: 'network', network: 'loses responses', latencyMs: 4 * SECOND_MS },
    { do: 'change cart', tab: 0 },
    { do: 'reload', tab: 0 },
    { ...press, isHasty: true },
    { do: 'change cart', tab: 0 },
    press,
  ]),
  'Try again while the network loses responses, without a storage': {
    keepsNothing: true,
    isSideBySide: false,
    steps: [
      open,
      press,
      submit,
      close,
      wait(31 * MINUTE_MS),
      open,
      inTab(press, 1),
      wait(3 * SECOND_MS),
      { do: 'network', network: 'loses responses', latencyMs: 0 },
      press,
    ],
  },
  'an order whose response was lost': usual([
    open,
    { do: 'network', network: 'loses responses', latencyMs: 0 },
    press,
    { do: 'network', network: 'works', latencyMs: 0 },
    press,
    submit,
    { do: 'reload', tab: 0 },
    press,
    submit,
  ]),
};

/** Plays a history to its end. Throws with its story if a rule is broken. */
export async function playShopping(shopping: Shopping): Promise<void> {
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
  readonly #browsers: Browser[];
  readonly #isSideBySide: boolean;
  readonly #opened = new WeakSet<object>();
  /** The orders of a cart that the customer wants on a device: one, and one for each second order. */
  readonly #wanted = new Map<string, number>();
  readonly #knownPaid = new Set<string>();
  /** The payments that a popup of a tab left open when it closed, as the real popup remembers. */
  readonly #unconfirmed = new Set<string>();

  constructor({ keepsNothing, isSideBySide }: Shopping) {
    const build = (name: string, more: Partial<Device> = {}) =>
      new Browser({ name, keepsNothing, hasLocks: true, ...more }, this.shop, this.clock);
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
    this.#check();
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
      this.#checkEnd(each);
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
    const wanted = `${cart} on the ${each.browser.device.name}`;
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
    const wanted = `${each.cart} on the ${each.browser.device.name}`;
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

  #check(): void {
    for (const [name, wanted] of this.#wanted) {
      const paid = this.shop.orders
        .filter((order) => nameOf(order) === name)
        .flatMap(({ payments }) => payments)
        .filter(({ reference }) => this.service.isPaid(reference));
      if (paid.length > wanted)
        throw new Error(`The customer wanted ${name} ${wanted} time(s) and paid ${paid.length}.`);
    }
    for (const each of this.#tabs) this.#checkTruth(each);
  }

  /** No screen says something that the shop did not. */
  #checkTruth(each: Tab): void {
    const { screen, payment, trouble } = each.flow.state;
    if (!each.isVisible && each.streams) throw new Error('A hidden tab holds a stream.');
    const paid =
      each.unfinished &&
      this.service.isPaid(each.unfinished) &&
      this.shop.mayBeSeen(each.unfinished, each.browser.owner);
    if (screen === 'shop' && paid && each.isVisible)
      throw new Error('A page showed an unfinished payment, and nothing once it was paid.');
    each.unfinished = screen === 'unfinished' ? payment?.reference : undefined;
    if (!payment || !['paid', 'failed'].includes(screen)) return;
    const { status } = this.shop.shown(payment.reference);
    const isPaid = this.service.isPaid(payment.reference);
    if (screen === 'paid' && !isPaid) throw new Error('A screen says paid, and nobody paid.');
    const isSettled = !trouble && !each.callsUnderWay;
    const isFollowed = each.isVisible && each.streams && isSettled;
    if (screen === 'failed' && status === 'successful' && isFollowed)
      throw new Error('A screen that is followed says failed, and the order is paid.');
  }

  /** Every screen ends: it is the shop's, a result, or a payment that the shop says is open. */
  #checkEnd(each: Tab): void {
    const { screen, payment, trouble, can } = each.flow.state;
    if (trouble) throw new Error(`A screen still has trouble: ${trouble}.`);
    if (screen === 'shop' || ENDS.includes(screen)) return;
    const isOpen = ['unfinished', 'pending'].includes(screen);
    const isOwn = payment && this.shop.mayBeSeen(payment.reference, each.browser.owner);
    if (isOpen && !isOwn && !can.resume) return;
    if (!isOpen) throw new Error(`A tab is left with ${screen}.`);
    const { status } = this.shop.shown(payment!.reference);
    const named = this.shop.open(each.browser.owner)?.reference; // it can still be paid (D57)
    if (status !== 'pending' && named !== payment!.reference)
      throw new Error(`A tab says ${screen}, and the shop ${status}.`);
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

function nameOf({ cart, device }: { cart: string; device: string }): string {
  return `${cart} on the ${device}`;
}

function pick<Item>(items: readonly Item[], at: number): Item | undefined {
  return items.length ? items[at % items.length] : undefined;
}
