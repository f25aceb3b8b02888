import fc from 'fast-check';
import { ManualClock } from '../manual-clock.ts';
import { collectionAnswer, startUpstream } from '../upstream.ts';
import type { PageScript } from './pages.ts';
import { startTestShop, type TestShop, tell } from './shop.ts';
import { type Network, type Tab, TabbedBrowser } from './tab.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const SESSION_MS = 30 * MINUTE_MS;
const PROMPT_MS = 3 * MINUTE_MS;
const MOST_TABS = 4;

const PAYING = /^(Pay\b.*|Continue this payment|(?:Try|Pay) again|Place a second order)$/;
const GOING_ON = 'Back to the shop';
const SECOND_ORDER = 'Place a second order';
const PAID = 'Order paid';

export type Step =
  | { do: 'open shop' }
  | { do: 'open return link'; reference: number }
  | { do: 'reload' | 'go back' | 'switch to'; tab: number }
  /** `isHasty`: the next step in this tab comes before the page has finished. */
  | { do: 'press'; tab: number; button: number; isHasty: boolean }
  | { do: 'submit phone' | 'get more time' | 'close popup'; tab: number }
  | { do: 'approve'; prompt: number; isTold: boolean }
  | { do: 'decline'; prompt: number }
  | { do: 'wait'; ms: number }
  | { do: 'service'; answers: boolean }
  | { do: 'network'; network: Network };

export interface Shopping {
  keepsNothing: boolean;
  isSideBySide: boolean;
  steps: Step[];
}

const index = fc.nat(5);
const tab = fc.nat(MOST_TABS - 1);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 2, arbitrary: fc.constant<Step>({ do: 'open shop' }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('open return link' as const), reference: index }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constantFrom('reload' as const, 'go back' as const, 'switch to' as const),
      tab,
    }),
  },
  {
    weight: 9,
    arbitrary: fc.record({
      do: fc.constant('press' as const),
      tab,
      button: fc.constantFrom(0, 0, 1),
      isHasty: fc.constantFrom(false, false, false, true),
    }),
  },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('submit phone' as const), tab }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('close popup' as const), tab }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('get more time' as const), tab }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('approve' as const),
      prompt: index,
      isTold: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('decline' as const), prompt: index }) },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('wait' as const),
      ms: fc.constantFrom(3 * SECOND_MS, MINUTE_MS, 28 * MINUTE_MS, 31 * MINUTE_MS, 25 * HOUR_MS),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('service' as const), answers: fc.boolean() }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('network' as const),
      network: fc.constantFrom<Network>('works', 'loses answers', 'is down'),
    }),
  },
);

const press = { do: 'press', tab: 0, button: 0, isHasty: false } as const;
const submit = { do: 'submit phone', tab: 0 } as const;
const close = { do: 'close popup', tab: 0 } as const;
const decline = { do: 'decline', prompt: 0 } as const;
const soon = { do: 'wait', ms: 3 * SECOND_MS } as const;
const sessionEnds = { do: 'wait', ms: 31 * MINUTE_MS } as const;
const payAgainAfterFailure: readonly Step[] = [
  press,
  submit,
  close,
  decline,
  sessionEnds,
  press,
  submit,
  close,
];
const BEGINNINGS: readonly (readonly Step[])[] = [
  [{ do: 'open shop' }],
  [{ do: 'open shop' }, press, submit, close],
  [{ do: 'open shop' }, press, submit, decline, close],
  [{ do: 'open shop' }, ...payAgainAfterFailure],
];

export const shoppings: fc.Arbitrary<Shopping> = fc.record({
  keepsNothing: fc.constantFrom(false, false, false, true),
  isSideBySide: fc.constantFrom(false, false, true),
  steps: fc
    .tuple(fc.constantFrom(...BEGINNINGS), fc.array(step, { minLength: 4, maxLength: 14 }))
    .map(([beginning, steps]) => [...beginning, ...steps]),
});

const payWhateverIsShown: readonly Step[] = [soon, press, submit, close];

/** Histories that charged twice before the pages looked for an unfinished payment. */
export const KNOWN_SHOPPINGS: Readonly<Record<string, Shopping>> = {
  'a reload while a second payment is out': alone([
    { do: 'open shop' },
    ...payAgainAfterFailure,
    { do: 'reload', tab: 0 },
    ...payWhateverIsShown,
  ]),
  'a return link to the first payment while a second one is out': alone([
    { do: 'open shop' },
    ...payAgainAfterFailure.slice(0, 4),
    { do: 'open return link', reference: 0 },
    ...[sessionEnds, press, submit, close].map((step) => inTab(step, 1)),
    { do: 'reload', tab: 1 },
    ...payWhateverIsShown.map((step) => inTab(step, 1)),
  ]),
  'more time in one tab and Continue in another, then and a day later (T141)': {
    keepsNothing: false,
    isSideBySide: true,
    steps: [28 * MINUTE_MS, 25 * HOUR_MS].flatMap((ms) => [
      { do: 'open shop' },
      press,
      { do: 'wait', ms: 28 * MINUTE_MS },
      { do: 'get more time', tab: 0 },
      { do: 'wait', ms },
      { do: 'open shop' },
      { ...press, tab: 1 },
      submit,
      { ...submit, tab: 1 },
      { do: 'approve', prompt: 0, isTold: false },
      { do: 'approve', prompt: 0, isTold: false },
    ]),
  },
  'Pay half an hour after an order was left open in two windows': {
    keepsNothing: false,
    isSideBySide: true,
    steps: [
      { do: 'open shop' },
      press,
      { do: 'open return link', reference: 0 },
      { do: 'wait', ms: 31 * MINUTE_MS },
      close,
      { do: 'open shop' },
      submit,
    ],
  },
};

function alone(steps: Step[]): Shopping {
  return { keepsNothing: false, isSideBySide: false, steps };
}

function inTab(step: Step, tab: number): Step {
  return 'tab' in step ? { ...step, tab } : step;
}

interface Collection {
  openedAt: number;
  isTried: boolean;
  promptSince: number | undefined;
  isPaid: boolean;
}

class ModelledService {
  readonly #clock: ManualClock;
  readonly #collections = new Map<string, Collection>();
  answers = true;

  constructor(clock: ManualClock) {
    this.#clock = clock;
  }

  /** Opens a session, or again one that ended without an attempt (D37). */
  open(reference: string): void {
    const known = this.#collections.get(reference);
    if (known && (known.isTried || !this.#isOver(known))) return;
    this.#collections.set(reference, {
      openedAt: this.#clock.now(),
      isTried: false,
      promptSince: undefined,
      isPaid: false,
    });
  }

  submitPhone(reference: string): boolean {
    const collection = this.#collections.get(reference);
    if (
      !collection ||
      this.statusOf(reference) === 'failed' ||
      collection.isPaid ||
      this.isPromptOut(reference)
    )
      return false;
    if (this.#isOver(collection)) return false;
    Object.assign(collection, { isTried: true, promptSince: this.#clock.now() });
    return true;
  }

  get promptsOut(): string[] {
    return [...this.#collections.keys()].filter((reference) => this.isPromptOut(reference));
  }

  get paid(): string[] {
    return [...this.#collections]
      .filter(([, { isPaid }]) => isPaid)
      .map(([reference]) => reference);
  }

  isPromptOut(reference: string): boolean {
    const { promptSince, isPaid } = this.#collections.get(reference) ?? {};
    return !isPaid && promptSince !== undefined && this.#clock.now() - promptSince < PROMPT_MS;
  }

  endPrompt(reference: string, isPaid: boolean): void {
    Object.assign(this.#collections.get(reference) ?? {}, { promptSince: undefined, isPaid });
  }

  statusOf(reference: string): string | undefined {
    const collection = this.#collections.get(reference);
    if (!collection?.isTried) return undefined;
    if (collection.isPaid) return 'successful';
    if (this.isPromptOut(reference)) return 'pay-offline';
    return this.#isOver(collection) ? 'failed' : 'pending';
  }

  extend(reference: string): boolean {
    const collection = this.#collections.get(reference);
    if (!collection || collection.isPaid || this.#isOver(collection)) return false;
    collection.openedAt = this.#clock.now();
    return true;
  }

  #isOver({ openedAt }: Collection): boolean {
    return this.#clock.now() - openedAt >= SESSION_MS;
  }

  answer(path: string): { httpStatus: number; body: string } {
    const status = this.statusOf(path.split('/').at(-1) ?? '');
    if (!this.answers) return { httpStatus: 200, body: 'away' };
    if (!status) return { httpStatus: 404, body: '{"status":false,"message":"","errorCode":"11"}' };
    return { httpStatus: 200, body: collectionAnswer(path, { status, amount: AMOUNT }) };
  }
}

const AMOUNT = '185.00';

export async function playShopping(
  shopping: Shopping,
  scripts: ReadonlyMap<string, PageScript>,
): Promise<void> {
  const clock = new ManualClock();
  const service = new ModelledService(clock);
  const upstream = await startUpstream((req, res) => {
    const { httpStatus, body } = service.answer(req.url ?? '');
    res.writeHead(httpStatus).end(body);
  });
  const shop = await startTestShop(upstream.url, { clock });
  const customer = new Customer(
    shopping,
    new TabbedBrowser(shop.url, clock, scripts, shopping),
    shop,
    service,
  );
  try {
    for (const step of shopping.steps) await customer.take(step);
    await customer.finish();
  } catch (error) {
    throw new Error(`${(error as Error).message}\n${customer.story.join('\n')}`, { cause: error });
  } finally {
    await customer.leave();
    await shop.close();
    await upstream.close();
  }
}

class Customer {
  readonly #browser: TabbedBrowser;
  readonly #shop: TestShop;
  readonly #service: ModelledService;
  readonly #isSideBySide: boolean;
  readonly story: string[] = [];
  readonly #references: string[] = [];
  readonly #opened = new WeakSet<object>();
  #chosenOrders = 1;
  #knowsPaid = false;
  #lastTab: Tab | undefined;

  constructor(
    { isSideBySide }: Shopping,
    browser: TabbedBrowser,
    shop: TestShop,
    service: ModelledService,
  ) {
    // such windows learn of each other by their storage alone
    this.#isSideBySide = isSideBySide && !browser.keepsNothing;
    this.#browser = browser;
    this.#shop = shop;
    this.#service = service;
  }

  async take(step: Step): Promise<void> {
    const done = await this.#do(step);
    if (!done) return;
    if (step.do === 'press' && step.isHasty) return void this.story.push(`${done}, hastily`);
    await this.#browser.clock.advance(SECOND_MS);
    await this.#settle();
    this.story.push(`${done} -> ${this.#describe()}`);
    if (this.#browser.network === 'works') for (const tab of this.#browser.tabs) this.#check(tab);
    this.#checkCharges();
  }

  async finish(): Promise<void> {
    await this.take({ do: 'network', network: 'works' });
    await this.take({ do: 'service', answers: true });
    await this.take({ do: 'open shop' });
    for (const [tab, { popup }] of this.#browser.tabs.entries()) {
      if (!popup) await this.take({ ...press, tab });
      await this.take({ ...submit, tab });
    }
    while (this.#service.promptsOut.length)
      await this.take({ do: 'approve', prompt: 0, isTold: false });
    await this.take({ do: 'wait', ms: 31 * MINUTE_MS });
    await this.take({ do: 'wait', ms: 3 * SECOND_MS });
    const { paid } = this.#service;
    const knewPaid = this.#knowsPaid;
    for (const tab of this.#browser.tabs.splice(0)) await tab.close();

    await this.take({ do: 'open shop' });
    if (paid.length && !knewPaid && !this.#knowsPaid)
      throw new Error('The order is paid, and the shop page does not say so.');
    for (const [at, reference] of this.#references.entries()) {
      await this.take({ do: 'open return link', reference: at });
      const saysPaid = this.#browser.tabs.at(-1)?.headings.includes(PAID);
      if (saysPaid !== (await this.#isPaid(reference)))
        throw new Error(`The return page of #${at + 1} does not tell how its order stands.`);
    }
  }

  async leave(): Promise<void> {
    for (const tab of this.#browser.tabs) await tab.close();
  }

  async #do(step: Step): Promise<string | undefined> {
    switch (step.do) {
      case 'open shop':
        return this.#openTab('/');
      case 'open return link': {
        const reference = this.#pick(this.#references, step.reference);
        return reference && this.#openTab(`/payments/return?reference=${reference}`);
      }
      case 'reload':
      case 'go back':
      case 'switch to':
      case 'press':
      case 'submit phone':
      case 'get more time':
      case 'close popup':
        return this.#doInTab(step);
      case 'approve':
      case 'decline': {
        const reference = this.#pick(this.#service.promptsOut, step.prompt);
        if (!reference) return undefined;
        this.#service.endPrompt(reference, step.do === 'approve');
        // Without storage the shop page cannot tell later what was paid: this customer goes by the
        // phone.
        this.#knowsPaid ||= step.do === 'approve' && this.#browser.keepsNothing;
        const isTold = step.do === 'approve' && step.isTold;
        if (isTold) await tell(this.#shop, reference);
        return `${step.do} ${this.#name(reference)} on the phone${isTold ? ', webhook' : ''}`;
      }
      case 'wait':
        if (step.ms > MINUTE_MS) await this.#browser.clock.jump(step.ms);
        else await this.#browser.clock.advance(step.ms);
        return `${step.ms / SECOND_MS} s pass`;
      case 'service':
        if (this.#service.answers === step.answers) return undefined;
        this.#service.answers = step.answers;
        return step.answers ? 'the service answers again' : 'the service stops answering';
      case 'network':
        if (this.#browser.network === step.network) return undefined;
        this.#browser.network = step.network;
        return `the network ${step.network}`;
    }
  }

  async #openTab(path: string): Promise<string | undefined> {
    if (this.#browser.network === 'is down') return undefined;
    if (this.#browser.tabs.length === MOST_TABS) {
      const tab = this.#browser.tabs[MOST_TABS - 1]!;
      this.#bringToFront(tab);
      await tab.load(path);
      return `load ${this.#nameIn(path)} in tab ${MOST_TABS}`;
    }
    await this.#browser.open(path, this.#isSideBySide);
    return `open ${this.#nameIn(path)} in tab ${this.#browser.tabs.length}`;
  }

  async #doInTab(step: Extract<Step, { tab: number }>): Promise<string | undefined> {
    const tab = this.#pick(this.#browser.tabs, step.tab);
    if (!tab) return undefined;
    const where = ` in tab ${this.#browser.tabs.indexOf(tab) + 1}`;
    if (step.do !== 'switch to' && !tab.isVisible) this.#bringToFront(tab);
    // Haste is a second press in the same tab. A press in another one within the same moment may
    // still begin a second order.
    if (tab !== this.#lastTab) await this.#settle();
    this.#lastTab = tab;
    switch (step.do) {
      case 'switch to':
        if (tab.isVisible) return undefined;
        this.#bringToFront(tab);
        return `switch to tab ${this.#browser.tabs.indexOf(tab) + 1}`;
      case 'reload':
        if (this.#browser.network === 'is down') return undefined;
        await tab.reload();
        return `reload${where}`;
      case 'go back':
        if (this.#browser.network === 'is down') return undefined;
        await tab.goBack();
        return `go back${where}`;
      case 'press': {
        const name = this.#pick(this.#offered(tab), step.button);
        if (!name) return undefined;
        if (name === SECOND_ORDER) this.#chosenOrders++;
        tab.press(name);
        return `press "${name}"${where}`;
      }
      case 'submit phone': {
        if (!tab.popup || this.#knowsPaid || !this.#service.answers) return undefined;
        const { reference } = tab.popup;
        if (!this.#service.submitPhone(reference)) return undefined;
        return `submit a phone number for ${this.#name(reference)}${where}`;
      }
      case 'get more time':
        if (!tab.popup || !this.#service.extend(tab.popup.reference)) return undefined;
        return `get more time for ${this.#name(tab.popup.reference)}${where}`;
      case 'close popup':
        return (
          tab.popup &&
          `close the popup of ${this.#name(tab.popup.reference)}${where}: ${this.#closePopup(tab)}`
        );
    }
  }

  #closePopup(tab: Tab): string {
    const popup = tab.popup!;
    const { reference } = popup;
    tab.popup = undefined;
    const knows = this.#service.answers && this.#browser.network === 'works';
    if (knows && this.#service.statusOf(reference) === 'successful') {
      popup.onSuccess?.({ reference });
      return 'onSuccess';
    }
    if (knows ? this.#service.isPromptOut(reference) : tab.unconfirmed.has(reference)) {
      popup.onConfirmationPending?.();
      return 'onConfirmationPending';
    }
    popup.onClose?.();
    return 'onClose';
  }

  async #settle(): Promise<void> {
    await this.#browser.settle();
    this.#knowsPaid ||= this.#browser.tabs.some(
      (tab) => tab.isVisible && tab.headings.includes(PAID),
    );
    for (const { popup, unconfirmed } of this.#browser.tabs) {
      if (!popup) continue;
      if (!this.#references.includes(popup.reference)) this.#references.push(popup.reference);
      if (!this.#opened.has(popup)) this.#service.open(popup.reference);
      this.#opened.add(popup);
      if (this.#service.isPromptOut(popup.reference)) unconfirmed.add(popup.reference);
      else if (this.#service.answers) unconfirmed.delete(popup.reference);
    }
  }

  #bringToFront(tab: Tab): void {
    if (!this.#isSideBySide) this.#browser.show(tab);
  }

  #offered(tab: Tab): string[] {
    return tab.buttons.filter(
      (name) => name === GOING_ON || (!this.#knowsPaid && PAYING.test(name)),
    );
  }

  #check(tab: Tab): void {
    if (tab.headings.length !== 1)
      throw new Error(`A page shows ${tab.headings.length} headings: ${tab.headings.join(', ')}.`);
  }

  #checkCharges(): void {
    const { paid } = this.#service;
    if (paid.length <= this.#chosenOrders) return;
    throw new Error(
      `The customer chose ${this.#chosenOrders} order(s), and paid ${paid.map((one) => this.#name(one)).join(', ')}.`,
    );
  }

  async #isPaid(reference: string): Promise<boolean> {
    const ofItsOrder =
      'select reference from service_pay_payments where order_id = (select order_id from service_pay_payments where reference = ?)';
    const payments = await this.#shop.rows<{ reference: string }>(ofItsOrder, reference);
    return payments.some((payment) => this.#service.paid.includes(payment.reference));
  }

  #describe(): string {
    return this.#browser.tabs
      .map(
        (tab, at) =>
          `tab ${at + 1}${tab.isVisible ? '*' : ''}: ${tab.headings.join()} [${tab.popup ? `popup of ${this.#name(tab.popup.reference)}` : this.#offered(tab).join(', ')}]`,
      )
      .join('; ');
  }

  #name(reference: string): string {
    return `#${this.#references.indexOf(reference) + 1}`;
  }

  #nameIn(path: string): string {
    return path.replace(/[^=]+$/, (reference) =>
      this.#references.includes(reference) ? this.#name(reference) : reference,
    );
  }

  #pick<Item>(items: readonly Item[], at: number): Item | undefined {
    return items.length ? items[at % items.length] : undefined;
  }
}
