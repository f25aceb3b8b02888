import type { Tab } from './browser.ts';
import { type ModelledService, type ModelledShop, nameOf } from './world.ts';

const ENDS = ['paid', 'failed', 'refused', 'review', 'unknown-order'];

/** Throws if the histories break a law, after a step or at the end. */
export class Laws {
  readonly #shop: ModelledShop;
  readonly #service: ModelledService;

  constructor(shop: ModelledShop, service: ModelledService) {
    this.#shop = shop;
    this.#service = service;
  }

  /** Nobody pays for more orders than were wanted, and no screen of these tabs lies. */
  check(tabs: readonly Tab[], wantedOrders: ReadonlyMap<string, number>): void {
    for (const [name, wanted] of wantedOrders) {
      const paid = this.#shop.orders
        .filter((order) => nameOf(order) === name)
        .flatMap(({ payments }) => payments)
        .filter(({ reference }) => this.#service.isPaid(reference));
      if (paid.length > wanted)
        throw new Error(`The customer wanted ${name} ${wanted} time(s) and paid ${paid.length}.`);
    }
    for (const each of tabs) this.#checkTruth(each);
  }

  /** Every screen ends: it is the shop's, a result, or a payment that the shop says is open. */
  checkEnd(each: Tab): void {
    const { screen, payment, trouble, can } = each.flow.state;
    if (trouble) throw new Error(`A screen still has trouble: ${trouble}.`);
    if (screen === 'shop' || ENDS.includes(screen)) return;
    const isOpen = ['unfinished', 'pending'].includes(screen);
    const isOwn = payment && this.#shop.mayBeSeen(payment.reference, each.browser.owner);
    if (isOpen && !isOwn && !can.resume) return;
    if (!isOpen) throw new Error(`A tab is left with ${screen}.`);
    const { status } = this.#shop.shown(payment!.reference);
    const named = this.#shop.open(each.browser.owner)?.reference; // it can still be paid (D57)
    if (status !== 'pending' && named !== payment!.reference)
      throw new Error(`A tab says ${screen}, and the shop ${status}.`);
  }

  /** No screen says something that the shop did not. */
  #checkTruth(each: Tab): void {
    const { screen, payment, trouble } = each.flow.state;
    if (!each.isVisible && each.streams) throw new Error('A hidden tab holds a stream.');
    const paid =
      each.unfinished &&
      this.#service.isPaid(each.unfinished) &&
      this.#shop.mayBeSeen(each.unfinished, each.browser.owner);
    if (screen === 'shop' && paid && each.isVisible)
      throw new Error('A page showed an unfinished payment, and nothing once it was paid.');
    each.unfinished = screen === 'unfinished' ? payment?.reference : undefined;
    if (!payment || !['paid', 'failed'].includes(screen)) return;
    const { status } = this.#shop.shown(payment.reference);
    const isPaid = this.#service.isPaid(payment.reference);
    if (screen === 'paid' && !isPaid) throw new Error('A screen says paid, and nobody paid.');
    const isSettled = !trouble && !each.callsUnderWay;
    const isFollowed = each.isVisible && each.streams && isSettled;
    if (screen === 'failed' && status === 'successful' && isFollowed)
      throw new Error('A screen that is followed says failed, and the order is paid.');
  }
}
