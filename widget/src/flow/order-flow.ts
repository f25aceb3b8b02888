import { digestCart } from './cart.ts';
import {
  type Call,
  type Course,
  type CourseEvent,
  isLocked,
  type Lost,
  NOTHING_BEGUN,
  type Popup,
} from './course/course.ts';
import { next } from './course/next.ts';
import { completeState, type FlowState, isSame } from './flow-state.ts';
import { type Follower, follow } from './follow.ts';
import { newKey, OrderKeeper } from './kept-order.ts';
import type { CartOption, FlowOptions } from './options.ts';
import { findPage, type Page, pause } from './page.ts';
import { callbacksOf, type ElementPopup, findScript, listenToElement } from './popups.ts';
import { buildShopApi, type PopupOptions, statusOf } from './shop-api.ts';
import { type PlaceOrder, ShopCalls } from './shop-calls.ts';

/** The pause after a look that failed. */
const LOOK_AGAIN_MS = 15_000;

/** A tab that stopped may hold the lock for ever. */
const LONGEST_LOCK_MS = 3_000;

const REPEAT_AFTER_MS = 1_000;

/**
 * Follows one browser's order from the cart to its end, so that a page charges once for it. Draws
 * nothing and says nothing: the page reads `state` when `subscribe` calls its listener.
 */
export function createPaymentFlow(options: FlowOptions): OrderFlow {
  return new OrderFlow(options, findPage());
}

/** Carries out what the course decides: the lock, the calls, the popup, the storage and the timers. */
export class OrderFlow {
  #course: Course = NOTHING_BEGUN;
  #state = completeState(NOTHING_BEGUN.shown);
  readonly #listeners = new Set<() => void>();
  readonly #page: Page;
  readonly #shop: ShopCalls;
  readonly #getPaid: FlowOptions['getPaid'];
  readonly #kept: OrderKeeper;
  /** Ends what the current turn began. */
  #life = new AbortController();
  #follower: Follower | undefined;
  #stopWatching: (() => void) | undefined;
  #elementPopup: ElementPopup | undefined;
  #place: PlaceOrder | undefined;
  #running: Promise<Lost | undefined> | undefined;

  /** Made by `createPaymentFlow`. */
  constructor({ api, getPaid, storage, ...more }: FlowOptions, page: Page) {
    this.#page = page;
    this.#shop = new ShopCalls(typeof api === 'string' ? buildShopApi(api, more) : api, page);
    this.#getPaid = getPaid;
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
    this.#watch();
    const digest = this.#digest(cart);
    if (digest !== undefined) await this.#do({ on: 'start', cart: digest });
  };

  /**
   * Places the order once and opens the popup. The same cart gets the same order until it has ended.
   * If another payment may still be paid, asks about a second order instead (`state.asks`).
   */
  pay = async (place: PlaceOrder, { cart }: CartOption = {}): Promise<void> => {
    await this.#pay(place, cart, false);
  };

  /**
   * Returns a function for `prepare` of `<service-pay>`, and listens to the events of that popup. If
   * something comes before a new order, it closes the popup by an `AbortError`, and the page shows it.
   */
  prepare =
    (place: PlaceOrder, { cart }: CartOption = {}): (() => Promise<PopupOptions>) =>
    async () => {
      this.#elementPopup?.ending.abort();
      const popup = listenToElement(this.#page, this.#step);
      this.#elementPopup = popup;
      const lost = await this.#pay(place, cart, true);
      const { task } = this.#course;
      if (task?.is === 'popup' && task.isElement && popup === this.#elementPopup) {
        popup.reference = task.options.reference;
        return task.options;
      }
      if (lost && this.#state.problem?.cause === lost.cause) throw lost.cause;
      throw new DOMException('The page shows what comes first.', 'AbortError');
    };

  /** Opens the open payment again, or shows how it has ended since. */
  resume = async (): Promise<void> => void (await this.#do({ on: 'press', what: 'resume' }));

  /** Opens the payment of the order that the shop says is still open, or a new one (D61). */
  payAgain = async (): Promise<void> => void (await this.#do({ on: 'press', what: 'pay-again' }));

  /** The customer wants a second order: the next `pay` places one. */
  payAnother = (): void => this.#step({ on: 'press', what: 'pay-another' });

  /** Follows a payment to its end, on a return page. */
  show = (reference: string): void => {
    this.#watch();
    this.#step({ on: 'show', reference });
  };

  /**
   * Ends everything that runs in the background, and forgets what was shown, until `start` looks
   * again. Calls no listener. What an open popup of `getPaid` reports is still kept.
   */
  stop = (): void => {
    this.#stopWatching?.();
    this.#stopWatching = undefined;
    this.#elementPopup?.ending.abort();
    this.#step({ on: 'stop' });
    this.#state = completeState(this.#course.shown);
  };

  #watch(): void {
    this.#stopWatching ??= this.#page.watch((news) => {
      this.#follower?.catchUp(news);
      this.#step({ on: 'page', news });
    });
  }

  async #pay(place: PlaceOrder, cart: unknown, isElement: boolean): Promise<Lost | undefined> {
    const digest = this.#digest(cart); // the page's cart may change meanwhile
    if (digest === undefined) return undefined;
    this.#place = place;
    return this.#do({ on: 'press', what: 'pay', cart: digest, newKey: newKey(), isElement });
  }

  #digest(cart: unknown): string | undefined {
    try {
      return digestCart(cart);
    } catch (cause) {
      this.#page.report(cause);
      this.#step({ on: 'unusable-cart', cause });
      return undefined;
    }
  }

  /** Takes a step, and waits for what it begins. Returns the call that failed, if that ended it. */
  async #do(event: CourseEvent): Promise<Lost | undefined> {
    const { turn } = this.#course;
    this.#step(event);
    return this.#course.turn === turn ? undefined : this.#running;
  }

  readonly #step = (event: CourseEvent): void => {
    const before = this.#course;
    const kept = this.#kept.read();
    const { isFramed } = this.#page;
    const seen = { kept, isVisible: this.#page.isVisible(), isFramed, now: Date.now() };
    const after = next(before, event, seen);
    this.#course = after;
    if (after.kept !== kept) this.#kept.write(after.kept);
    if (after.turn !== before.turn) this.#begin(after);
    if (!after.isStopped) this.#publish();
  };

  /** Ends what the last turn began, and begins the next. */
  #begin({ turn, task, call }: Course): void {
    this.#life.abort();
    this.#life = new AbortController();
    this.#follower?.stop();
    this.#follower = undefined;
    const { signal } = this.#life;
    const page = this.#page;
    if (task?.is === 'follow') {
      const { reference, isKnown } = task;
      const verify = () => this.#shop.verify(reference, signal);
      const { events } = this.#shop;
      this.#follower = follow(reference, { verify, events, page, isKnown }, (news) =>
        this.#step({ on: 'news', turn, ...news }),
      );
    } else if (task?.is === 'look-later') {
      void pause(page, LOOK_AGAIN_MS, signal).then(() => this.#step({ on: 'look-again', turn }));
    } else if (call || isLocked(task)) {
      this.#running = this.#run(this.#place);
    }
  }

  /** Makes the calls of a task, one after the other. */
  async #run(place: PlaceOrder | undefined): Promise<Lost | undefined> {
    const { turn, task } = this.#course;
    const { signal } = this.#life;
    const isCurrent = () => this.#course.turn === turn;
    let lost: Lost | undefined;
    const makeCalls = async () => {
      if (isLocked(task)) this.#step({ on: 'turn', turn });
      for (let call = this.#course.call; call && isCurrent(); ) {
        const event = await this.#make(call, turn, place, signal);
        lost = event.on === 'lost' ? event : undefined;
        this.#step(event);
        call = this.#course.call === call ? undefined : this.#course.call;
      }
    };
    await (isLocked(task) ? this.#lock(makeCalls, signal) : makeCalls());
    const { task: done } = this.#course;
    if (isCurrent() && done?.is === 'popup' && !done.isElement)
      await this.#openPopup(done, turn, signal);
    return lost;
  }

  /** Waits for the tabs that hold the lock, but not for one that stopped while it holds it. */
  async #lock(makeCalls: () => Promise<void>, life: AbortSignal): Promise<void> {
    const waiting = new AbortController();
    const end = () => waiting.abort();
    const cancel = this.#page.after(LONGEST_LOCK_MS, end);
    life.addEventListener('abort', end);
    const begin = () => {
      cancel();
      return makeCalls();
    };
    await this.#page.lock(begin, waiting.signal);
  }

  async #make(
    call: Call,
    turn: number,
    place: PlaceOrder | undefined,
    life: AbortSignal,
  ): Promise<CourseEvent> {
    try {
      if (call.to !== 'verify') {
        const options = await this.#shop.options(call, place, life);
        return { on: 'response', turn, options };
      }
      if (call.isRepeated) await pause(this.#page, REPEAT_AFTER_MS, life);
      return { on: 'response', turn, payment: await this.#shop.verify(call.reference, life) };
    } catch (cause) {
      const isOffline = this.#page.isOffline();
      return { on: 'lost', turn, status: statusOf(cause), cause, isOffline };
    }
  }

  async #openPopup({ options }: Popup, turn: number, signal: AbortSignal): Promise<void> {
    try {
      const getPaid = this.#getPaid ?? (await findScript(this.#page, signal));
      if (signal.aborted) return;
      getPaid({ ...options, ...callbacksOf(options.reference, this.#step) });
    } catch (cause) {
      this.#step({ on: 'not-opened', turn, cause });
    }
  }

  #publish(): void {
    const state = completeState(this.#course.shown);
    if (isSame(state, this.#state)) return;
    this.#state = state;
    for (const listener of [...this.#listeners]) {
      try {
        listener();
      } catch (error) {
        this.#page.report(error); // a page that cannot draw still pays (T155)
      }
    }
  }
}
