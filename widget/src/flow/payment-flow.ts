import { findOrder } from './find-order.ts';
import {
  completeState,
  type Draft,
  type FlowPayment,
  type FlowProblem,
  type FlowState,
  isEnd,
  isFinal,
  isSame,
  type PaymentAnswer,
  screenOf,
  toFlowPayment,
} from './flow-state.ts';
import { type Follower, follow, type News } from './follow.ts';
import { digestCart, OrderKeeper } from './kept-order.ts';
import { type FlowStorage, findPage, type Page, type PageNews } from './page.ts';
import {
  buildShopApi,
  LONGEST_ANSWER_MS,
  type PopupOptions,
  type ShopApi,
  ShopError,
  statusOf,
} from './shop-api.ts';

/** The callbacks that the flow passes to `getPaid` (specification 2.1). */
export interface PopupCallbacks {
  onSuccess(): void;
  onClose(): void;
  onConfirmationPending(): void;
}

/**
 * Places the order on the shop's server under an idempotency key: the same key must find the same
 * order again. Resolves with the options of `getPaid`.
 */
export type PlaceOrder = (idempotencyKey: string) => Promise<PopupOptions>;

export interface FlowOptions {
  /** The base of the routes of `@service-pay/server`, such as `'/api'`, or functions of your own. */
  api: string | ShopApi;
  /** `ServicePay.getPaid` of the script tag by default. */
  // biome-ignore lint/suspicious/noExplicitAny: `getPaid` of the script tag has no type here
  getPaid?: (options: any) => unknown;
  /** `localStorage` by default. For tests. */
  storage?: FlowStorage;
}

export interface CartOption {
  /** Any JSON value. Without it, all calls of `pay` mean one order until it has ended. */
  cart?: unknown;
}

/** The pause after a look that failed. */
const LOOK_AGAIN_MS = 15_000;

/** More about a payment that is followed from now on. */
interface Following {
  answer?: PaymentAnswer;
  asks?: FlowState['asks'];
  problem?: FlowProblem;
  trouble?: FlowState['trouble'];
}

/**
 * Follows one browser's order from the cart to its end, so that a page charges once for it. Draws
 * nothing and says nothing: the page reads `state` when `subscribe` calls its listener.
 */
export function createPaymentFlow(options: FlowOptions): PaymentFlow {
  return new PaymentFlow(options, findPage());
}

export class PaymentFlow {
  #state = completeState({ screen: 'shop' });
  readonly #listeners = new Set<() => void>();
  readonly #api: ShopApi;
  readonly #page: Page;
  readonly #getPaid: (options: PopupOptions & PopupCallbacks) => unknown;
  readonly #kept: OrderKeeper;
  #cart = digestCart(undefined);
  #wantsSecond = false;
  #isStopped = false;
  #follower: Follower | undefined;
  #stopWatching: (() => void) | undefined;
  #elementPays: AbortController | undefined;
  /** Counts what was shown: an answer to an older question is dropped. */
  #turn = 0;

  /** Made by `createPaymentFlow`. */
  constructor({ api, getPaid, storage }: FlowOptions, page: Page) {
    this.#api = typeof api === 'string' ? buildShopApi(api) : api;
    this.#page = page;
    this.#getPaid = getPaid ?? openWithScriptTag;
    this.#kept = new OrderKeeper(() => storage ?? page.storage);
  }

  get state(): FlowState {
    return this.#state;
  }

  /** Calls the listener after each change. Returns a function that ends this. */
  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  /**
   * Finds this browser's unfinished payment, now and whenever the page is visible again or another
   * tab has news. Call it again when the cart has changed.
   */
  start = async ({ cart }: CartOption = {}): Promise<void> => {
    const wasStopped = this.#isStopped;
    this.#cart = digestCart(cart);
    this.#watch();
    if (wasStopped || isAtShop(this.#state)) await this.#look();
  };

  /**
   * Places the order once and opens the popup. The same cart gets the same order until it has ended.
   * If another payment may still be paid, asks about a second order instead (`state.asks`).
   */
  pay = async (place: PlaceOrder, { cart }: CartOption = {}): Promise<void> => {
    const before = this.#state;
    if (!before.can.pay) return;
    const options = await this.#take(place, cart).catch(() => undefined); // `state.problem` says it
    if (options) this.#openPopup(options, before);
  };

  /**
   * Returns a function for `prepare` of `<service-pay>`, and listens to the events of that popup. If
   * something comes before a new order, it closes the popup by an `AbortError`, and the page shows it.
   */
  prepare =
    (place: PlaceOrder, { cart }: CartOption = {}): (() => Promise<PopupOptions>) =>
    async () => {
      const taken = this.#take(place, cart);
      const popup = this.#listenFor(taken);
      const options = await taken;
      if (!options) throw new DOMException('The page shows what comes first.', 'AbortError');
      if (!popup.aborted) this.#show({ screen: 'paying', payment: toShown(options) });
      return options;
    };

  /** Opens the open payment again, or shows how it has ended since. */
  resume = async (): Promise<void> => {
    if (this.#state.can.resume) await this.#reopen(this.#state, { isOpen: true });
  };

  /** Asks the server first, and opens the order's payment that is still open, or a new one (D61). */
  payAgain = async (): Promise<void> => {
    const before = this.#state;
    if (!before.can.payAgain) return;
    const turn = this.#show({ ...before, problem: undefined, isBusy: true });
    try {
      await this.#page.lock(async () => {
        const other = await this.#findOther(before.payment?.reference);
        if (turn !== this.#turn) return;
        if (other) this.#follow(other, 'pending');
        else await this.#reopen(before, { isOpen: false });
      });
    } catch (cause) {
      if (turn === this.#turn) this.#goBack(before, { code: 'shop_unreachable', cause });
    }
  };

  /** The customer wants a second order: the next `pay` places one. */
  payAnother = (): void => {
    if (this.#state.can.payAnother) this.#wantsSecond = true;
  };

  /** Follows a payment to its end, on a return page. */
  show = (reference: string): void => {
    this.#watch();
    this.#follow(reference, 'pending');
  };

  /** Ends everything that runs in the background, until `start` looks again. */
  stop = (): void => {
    this.#isStopped = true;
    this.#turn++;
    this.#endFollowing();
    this.#elementPays?.abort();
    this.#stopWatching?.();
    this.#stopWatching = undefined;
  };

  async #look(): Promise<void> {
    const turn = ++this.#turn;
    const kept = this.#kept.read();
    const isOwn = kept?.cart === this.#cart && !kept.isSent;
    const { screen, payment } = this.#state;
    // another tab may have shown the end of a payment that this page shows, and forgotten it
    let reference = kept?.reference ?? (screen === 'unfinished' ? payment?.reference : undefined);
    try {
      reference ??= (await this.#api.open())?.reference;
      const answer = reference && (await this.#api.verify(reference));
      if (turn !== this.#turn) return;
      if (answer) this.#showBesideCart(reference!, answer);
      else this.#show({ screen: 'shop' });
    } catch (error) {
      if (turn !== this.#turn) return;
      const trouble = troubleOf(statusOf(error));
      if (kept?.reference && statusOf(error) === 404) {
        this.#kept.forget(kept.reference);
        await this.#look();
      } else if (reference && !isOwn) {
        this.#follow(reference, 'unfinished', { trouble });
      } else {
        this.#publish({ ...this.#state, trouble });
        this.#page.after(LOOK_AGAIN_MS, () => turn === this.#turn && void this.#look());
      }
    }
  }

  /** Shows a payment at the shop. The cart stays if the payment is this cart's, and nothing was sent. */
  #showBesideCart(asked: string, answer: PaymentAnswer): void {
    const kept = this.#kept.read();
    const isKept = kept?.reference === asked;
    const screen = screenOf(answer, 'unfinished');
    const isUntouched =
      screen === 'unfinished' &&
      isKept &&
      kept.cart === this.#cart &&
      !kept.isSent &&
      !answer.isWaitingForCustomer;
    const isSeen = screen === 'failed' && isKept && kept.isSeen;
    if (isUntouched || isSeen) {
      this.#show({ screen: 'shop' });
    } else if (screen === 'unfinished') {
      this.#follow(asked, 'unfinished', { answer });
    } else {
      this.#show({ screen, payment: toFlowPayment(answer) });
      this.#noteSeen(asked);
    }
  }

  /**
   * Places the order, one tab of the browser at a time, and returns the options of `getPaid`; or
   * shows a payment that comes first, and returns undefined.
   */
  async #take(place: PlaceOrder, cart: unknown): Promise<PopupOptions | undefined> {
    const before = this.#state;
    const digest = digestCart(cart); // the page's cart may change meanwhile
    this.#cart = digest;
    const wantsSecond = this.#wantsSecond;
    this.#wantsSecond = false; // it was for this press alone
    const turn = this.#show({ screen: 'placing', payment: before.payment });
    let code: FlowProblem['code'] = 'shop_unreachable';
    try {
      return await this.#page.lock(async () => {
        const press = { cart: digest, wantsSecond };
        const found = await findOrder(this.#api, this.#kept.read(), press);
        if (turn !== this.#turn) return undefined;
        if ('open' in found) {
          const { open, ...more } = found;
          this.#follow(open, 'unfinished', { ...more, asks: 'second-order' });
          return undefined;
        }
        if ('ended' in found) {
          this.#showBesideCart(found.ended, found.answer);
          return undefined;
        }
        const { order, failed } = found;
        this.#kept.write(order);
        code = 'place_failed';
        const options = failed ? await this.#api.retry(failed) : await this.#place(place, order);
        const { reference } = options;
        this.#kept.write({ ...order, reference });
        return turn === this.#turn ? options : undefined;
      });
    } catch (cause) {
      if (turn === this.#turn) this.#goBack(before, { code, cause });
      throw cause;
    }
  }

  /** Waits for an order as long as for the shop: other tabs wait meanwhile. */
  #place(place: PlaceOrder, { key }: { key: string }): Promise<PopupOptions> {
    const end = new Promise<never>((_resolve, reject) => {
      const stop = () => reject(new ShopError(0, 'The order did not arrive in time.'));
      this.#page.after(LONGEST_ANSWER_MS, stop);
    });
    return Promise.race([place(key), end]);
  }

  #openPopup(options: PopupOptions, before: FlowState): void {
    const { reference } = options;
    this.#show({ screen: 'paying', payment: toShown(options) });
    try {
      this.#getPaid({
        ...options,
        onSuccess: () => this.#hearSent(reference),
        onConfirmationPending: () => this.#hearSent(reference),
        onClose: () => void this.#hearClosed(reference),
      });
    } catch (cause) {
      this.#goBack(before, { code: 'popup_failed', cause });
    }
  }

  /**
   * Hears how the element's popup ends, perhaps before its order is placed. A page has one popup at a
   * time, and its events bubble. The signal is aborted once it has ended.
   */
  #listenFor(taken: Promise<PopupOptions | undefined>): AbortSignal {
    this.#elementPays?.abort();
    const popup = new AbortController();
    const { signal } = popup;
    this.#elementPays = popup;
    const on = (name: string, hear: (reference: string) => void) => {
      const end = () => {
        popup.abort();
        taken.then((options) => options && hear(options.reference)).catch(() => undefined);
      };
      this.#page.listen(`service-pay-${name}`, end, signal);
    };
    on('success', (reference) => this.#hearSent(reference));
    on('confirmation-pending', (reference) => this.#hearSent(reference));
    on('close', (reference) => void this.#hearClosed(reference));
    return signal;
  }

  /** Something was sent: only the shop knows what became of it. */
  #hearSent(reference: string): void {
    if (this.#kept.read()?.reference !== reference) this.#kept.write({ reference });
    this.#kept.note(reference, { isSent: true });
    this.#follow(reference, 'pending');
  }

  /** Nothing is under way here, but the payment may have ended elsewhere. */
  async #hearClosed(reference: string): Promise<void> {
    this.#kept.note(reference, { isSent: false });
    const kept = this.#kept.read();
    if (kept && kept.cart !== this.#cart) return this.#follow(reference, 'unfinished');
    const turn = this.#show({ screen: 'shop' });
    const answer = await this.#api.verify(reference).catch(() => undefined);
    if (answer && turn === this.#turn) this.#showBesideCart(reference, answer);
  }

  /**
   * Opens the order's open payment, or a new one if the service says that it failed. One that was
   * open when the page last asked may have failed since: that is shown before another is made.
   */
  async #reopen(before: FlowState, { isOpen }: { isOpen: boolean }): Promise<void> {
    const reference = before.payment?.reference ?? '';
    this.#wantsSecond = false;
    const turn = this.#show({ ...before, problem: undefined, isBusy: true });
    try {
      const answer = isOpen ? await this.#api.verify(reference) : undefined;
      if (turn !== this.#turn) return;
      if (answer && answer.status !== 'pending') return this.#follow(reference, 'pending');
      const options = await this.#api.retry(reference);
      if (turn !== this.#turn) return;
      const kept = this.#kept.read();
      if (kept?.reference !== reference) this.#kept.write({ reference: options.reference });
      else this.#kept.write({ ...kept, reference: options.reference, isSeen: false });
      this.#openPopup(options, before);
    } catch (cause) {
      if (turn !== this.#turn) return;
      if (statusOf(cause) === 400)
        this.#follow(reference, 'pending', { problem: { code: 'order_closed', cause } });
      else this.#goBack(before, { code: 'shop_unreachable', cause });
    }
  }

  /** Returns a payment that another tab has begun since. Rejects if that is not known. */
  async #findOther(reference: string | undefined): Promise<string | undefined> {
    const open = await this.#api.open();
    const kept = this.#kept.read();
    return [kept?.isSeen ? undefined : kept?.reference, open?.reference].find(
      (other) => other && other !== reference,
    );
  }

  #follow(reference: string, whileOpen: 'unfinished' | 'pending', more: Following = {}): void {
    const { answer, asks, problem, trouble } = more;
    const known = this.#state.payment;
    const shown = known?.reference === reference ? toShown(known) : { reference };
    const payment = answer ? toFlowPayment(answer) : shown;
    const screen = answer || whileOpen === 'unfinished' ? whileOpen : 'checking';
    this.#show({ screen, payment, trouble, asks, problem });
    this.#listenTo(reference, whileOpen, answer !== undefined);
  }

  #listenTo(reference: string, whileOpen: 'unfinished' | 'pending', isKnown = false): void {
    const [api, page] = [this.#api, this.#page];
    this.#follower = follow(reference, { api, page, isKnown }, (news) =>
      this.#hear(news, reference, whileOpen),
    );
  }

  #hear(news: News, asked: string, whileOpen: 'unfinished' | 'pending'): void {
    if ('answer' in news) {
      const { answer } = news;
      const screen = screenOf(answer, whileOpen);
      const { asks, problem } = this.#state;
      const isOpen = screen === whileOpen;
      const payment = toFlowPayment(answer);
      this.#publish({ screen, payment, ...(isOpen && { asks, problem }) });
      if (isFinal(screen)) this.#endFollowing();
      this.#noteSeen(asked);
    } else if (news.status !== 404 && news.status !== 400) {
      this.#publish({ ...this.#state, trouble: troubleOf(news.status) });
    } else {
      this.#kept.forget(asked);
      const isAtShop = whileOpen === 'unfinished';
      const payment = { reference: asked };
      this.#show(isAtShop ? { screen: 'shop' } : { screen: 'unknown-order', payment });
    }
  }

  /**
   * Forgets an order once a customer has seen how it ended: a hidden tab shows that to nobody. One
   * that failed keeps its key, so that the same cart pays for the same order.
   */
  #noteSeen(asked: string): void {
    const { screen, payment } = this.#state;
    if (!isEnd(screen) || !this.#page.isVisible()) return;
    for (const reference of new Set([asked, payment?.reference ?? asked]))
      if (screen === 'failed') this.#kept.note(reference, { isSent: false, isSeen: true });
      else this.#kept.forget(reference);
  }

  #watch(): void {
    this.#isStopped = false;
    this.#stopWatching ??= this.#page.watch((news) => this.#catchUp(news));
  }

  #catchUp(news: PageNews): void {
    this.#follower?.catchUp(news);
    const { payment, can } = this.#state;
    if (payment) this.#noteSeen(payment.reference);
    const isResting = news === 'hidden' || news === 'offline' || !this.#page.isVisible();
    if (isResting || this.#follower) return;
    if (isAtShop(this.#state)) void this.#look();
    else if (can.payAgain && payment) this.#listenTo(payment.reference, 'pending'); // paid elsewhere?
  }

  #goBack(before: FlowState, problem: FlowProblem): void {
    const { screen, payment, asks } = before;
    const { reference = '' } = payment ?? {};
    if (screen === 'unfinished') this.#follow(reference, screen, { asks, problem });
    else if (screen === 'pending' || screen === 'checking')
      this.#follow(reference, 'pending', { problem });
    else if (screen === 'placing' || screen === 'paying') this.#show({ screen: 'shop', problem });
    else this.#show({ screen, payment, problem });
  }

  /** Shows something else: answers to earlier questions are dropped. Returns the new turn. */
  #show(draft: Draft): number {
    this.#endFollowing();
    this.#publish(draft);
    return ++this.#turn;
  }

  #endFollowing(): void {
    this.#follower?.stop();
    this.#follower = undefined;
  }

  #publish(draft: Draft): void {
    const next = completeState(draft);
    if (isSame(next, this.#state)) return;
    this.#state = next;
    for (const listener of [...this.#listeners]) listener();
  }
}

/** No look comes between a press and what it opens: `can.pay` is false meanwhile. */
function isAtShop({ screen, can }: FlowState): boolean {
  return can.pay && (screen === 'shop' || screen === 'unfinished');
}

function openWithScriptTag(options: object): unknown {
  const { ServicePay } = globalThis as { ServicePay?: { getPaid(options: object): unknown } };
  if (!ServicePay) throw new Error('The script of the payment service is not loaded.');
  return ServicePay.getPaid(options);
}

function toShown({ reference, amount, currency }: PopupOptions | FlowPayment) {
  return {
    reference,
    ...(typeof amount === 'string' && { amount }),
    ...(typeof currency === 'string' && { currency }),
  };
}

function troubleOf(status: number): FlowState['trouble'] {
  return status === 503 ? 'service-unreachable' : 'shop-unreachable';
}
