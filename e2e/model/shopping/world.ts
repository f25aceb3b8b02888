import type { ManualClock } from '@service-pay/server/testing';
import { type PopupOptions, ShopError, type ShopPayment } from '@service-pay/widget/headless';

export const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
const SESSION_MS = 30 * MINUTE_MS;
const PROMPT_MS = 3 * MINUTE_MS;
const EXPIRES_AFTER_MS = 24 * HOUR_MS;

export type Network = 'works' | 'loses responses' | 'is down';

interface Collection {
  openedAt: number;
  tries: number;
  promptSince: number | undefined;
  isPaid: boolean;
}

/** The payment service: one session for each reference (D17, D19, D37). */
export class ModelledService {
  readonly #clock: ManualClock;
  readonly #collections = new Map<string, Collection>();
  responds = true;

  constructor(clock: ManualClock) {
    this.#clock = clock;
  }

  /** Opens a session, or again one that ended without an attempt. */
  open(reference: string): void {
    const known = this.#collections.get(reference);
    if (known && (known.tries || !this.#isOver(known))) return;
    const openedAt = this.#clock.now();
    this.#collections.set(reference, { openedAt, tries: 0, promptSince: undefined, isPaid: false });
  }

  submit(reference: string): boolean {
    const collection = this.#collections.get(reference);
    if (!collection || collection.isPaid || this.isPromptOut(reference)) return false;
    if (this.#isOver(collection) || collection.tries === 5) return false;
    collection.tries++;
    collection.promptSince = this.#clock.now();
    return true;
  }

  extend(reference: string): boolean {
    const collection = this.#collections.get(reference);
    if (!collection || collection.isPaid || this.#isOver(collection)) return false;
    collection.openedAt = this.#clock.now();
    return true;
  }

  get promptsOut(): string[] {
    return [...this.#collections.keys()].filter((reference) => this.isPromptOut(reference));
  }

  isPromptOut(reference: string): boolean {
    const { promptSince, isPaid } = this.#collections.get(reference) ?? {};
    return !isPaid && promptSince !== undefined && this.#clock.now() - promptSince < PROMPT_MS;
  }

  endPrompt(reference: string, isPaid: boolean): void {
    Object.assign(this.#collections.get(reference) ?? {}, { promptSince: undefined, isPaid });
  }

  isPaid(reference: string): boolean {
    return this.#collections.get(reference)?.isPaid === true;
  }

  /** Undefined until somebody tried to pay (D35). */
  statusOf(reference: string): string | undefined {
    const collection = this.#collections.get(reference);
    if (!collection?.tries) return undefined;
    if (collection.isPaid) return 'successful';
    if (this.isPromptOut(reference)) return 'pay-offline';
    return this.#isOver(collection) || collection.tries === 5 ? 'failed' : 'pending';
  }

  #isOver({ openedAt }: Collection): boolean {
    return this.#clock.now() - openedAt >= SESSION_MS;
  }
}

interface Payment {
  reference: string;
  state: 'awaiting' | 'expired' | 'failed' | 'paid';
  openedAt: number;
}

interface Order {
  device: string;
  /** The browser or the account that may see it. */
  owner: string;
  key: string;
  cart: string;
  payments: Payment[];
}

/** The shop's server by its rules: one order for each key, one payment until it failed (D61). */
export class ModelledShop {
  readonly orders: Order[] = [];
  readonly #service: ModelledService;
  readonly #clock: ManualClock;
  #references = 0;

  constructor(service: ModelledService, clock: ManualClock) {
    this.#service = service;
    this.#clock = clock;
  }

  place(device: string, owner: string, key: string, cart: string): PopupOptions {
    const known = this.orders.find((order) => order.owner === owner && order.key === key);
    if (known) return toOptions(this.#reopen(decisive(known)));
    const order: Order = { device, owner, key, cart, payments: [] };
    this.orders.push(order);
    return toOptions(this.#addPayment(order));
  }

  /** What can still be paid, also after a day without an attempt (D61). */
  open(owner: string): PopupOptions | null {
    const open = this.orders
      .filter((order) => order.owner === owner)
      .map(decisive)
      .findLast(({ state }) => state === 'awaiting' || state === 'expired');
    return open ? toOptions(open) : null;
  }

  changeOwner(from: string, to: string): void {
    for (const order of this.orders) if (order.owner === from) order.owner = to;
  }

  mayBeSeen(reference: string, owner: string): boolean {
    return this.#orderOf(reference)?.owner === owner;
  }

  verify(owner: string, reference: string): ShopPayment {
    const order = this.#find(owner, reference);
    if (decisive(order).state !== 'paid') this.#readStates(order);
    return this.shown(reference);
  }

  retry(owner: string, reference: string): PopupOptions {
    const order = this.#find(owner, reference);
    if (decisive(order).state !== 'paid') this.#readStates(order);
    if (decisive(order).state === 'paid') throw new ShopError(400, 'paid');
    const open = order.payments.findLast(({ state }) => state !== 'failed');
    return toOptions(open ? this.#reopen(open) : this.#addPayment(order));
  }

  /** The stored state, without a call to the service. */
  shown(reference: string): ShopPayment {
    const order = this.#orderOf(reference);
    if (!order) throw new ShopError(404, 'unknown');
    const { reference: decides, state } = decisive(order);
    const status = ({ paid: 'successful', awaiting: 'pending' } as const)[state as 'paid'];
    return {
      reference: decides,
      status: status ?? 'failed',
      amount: '185.00',
      currency: 'ZMW',
      isWaitingForCustomer: this.#service.isPromptOut(decides),
    };
  }

  /** A webhook, or the reconciler. */
  confirm(reference: string): void {
    const order = this.#orderOf(reference);
    if (order && decisive(order).state !== 'paid') this.#readStates(order);
  }

  #readStates(order: Order): void {
    if (!this.#service.responds) throw new ShopError(503, 'not known yet');
    for (const payment of order.payments) {
      const status = this.#service.statusOf(payment.reference);
      const isOld = this.#clock.now() - payment.openedAt >= EXPIRES_AFTER_MS;
      if (status === 'successful') payment.state = 'paid';
      else if (status === 'failed') payment.state = 'failed';
      else if (status) payment.state = 'awaiting';
      else if (isOld) payment.state = 'expired';
    }
  }

  #find(owner: string, reference: string): Order {
    const order = this.#orderOf(reference);
    if (order?.owner !== owner) throw new ShopError(404, 'unknown');
    return order;
  }

  #orderOf(reference: string): Order | undefined {
    return this.orders.find(({ payments }) =>
      payments.some((payment) => payment.reference === reference),
    );
  }

  /** Its customer is about to pay it: `open` finds it again. */
  #reopen(payment: Payment): Payment {
    const isOpen = payment.state === 'expired' || payment.state === 'awaiting';
    if (isOpen) Object.assign(payment, { state: 'awaiting', openedAt: this.#clock.now() });
    return payment;
  }

  #addPayment(order: Order): Payment {
    const payment: Payment = {
      reference: `ref-${++this.#references}`,
      state: 'awaiting',
      openedAt: this.#clock.now(),
    };
    order.payments.push(payment);
    return payment;
  }
}

function decisive({ payments }: Order): Payment {
  return payments.find(({ state }) => state === 'paid') ?? payments.at(-1)!;
}

function toOptions({ reference }: Payment): PopupOptions {
  return { key: 'pub_demo', email: 'm@example.com', reference, amount: '185.00', currency: 'ZMW' };
}

/** An order as its customer names it: by cart and device. */
export function nameOf({ cart, device }: { cart: string; device: string }): string {
  return `${cart} on the ${device}`;
}
