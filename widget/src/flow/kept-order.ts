import { type FlowStorage, NAME } from './page.ts';

/** The order that this browser is busy with. Nothing in it is personal. */
export interface KeptOrder {
  /** The idempotency key that finds the order again. Absent if another page placed it. */
  key?: string | undefined;
  /** The digest of its cart. */
  cart?: string | undefined;
  /** Its payment. Absent until the shop has responded. */
  reference?: string | undefined;
  /** Something was sent, and may still be approved. */
  isSent?: boolean;
  /** The shop said that it waits for its customer, so something was sent. */
  isWaiting?: boolean;
  /** When that was learned, in milliseconds since 1970. */
  sentAt?: number;
  /** Shown if the shop no longer knows what was sent. */
  amount?: string | undefined;
  currency?: string | undefined;
  /** It failed or is in review, and the customer has seen that: the cart is shown again. */
  isSeen?: boolean;
}

/** Returns whether money may move for a kept order, although the shop might not say so any more. */
export function wasSent(kept: KeptOrder | undefined): boolean {
  return kept?.isSent === true || kept?.isWaiting === true;
}

/** Keeps an order for all tabs of the browser, or for this page if the storage does not. */
export class OrderKeeper {
  readonly #storage: () => FlowStorage | undefined;
  #ofThisPage: KeptOrder | undefined;

  constructor(storage: () => FlowStorage | undefined) {
    this.#storage = storage;
  }

  read(): KeptOrder | undefined {
    return this.#ofThisPage ?? this.#readStorage(); // the page's is newer than a full storage's
  }

  write(order: KeptOrder | undefined): void {
    this.#ofThisPage = undefined;
    const text = order && JSON.stringify(order);
    try {
      const storage = this.#storage();
      if (text) storage?.setItem(NAME, text);
      else storage?.removeItem(NAME);
      if ((storage?.getItem(NAME) ?? undefined) !== text) this.#ofThisPage = order ?? {};
    } catch {
      this.#ofThisPage = order ?? {};
    }
  }

  #readStorage(): KeptOrder | undefined {
    try {
      const text = this.#storage()?.getItem(NAME);
      return text ? parseOrder(text) : undefined;
    } catch {
      return undefined;
    }
  }
}

function parseOrder(text: string): KeptOrder | undefined {
  const order = Object(JSON.parse(text)) as KeptOrder;
  const isText = (value = '') => /^[\w.-]*$/.test(value);
  return isText(order.key) && isText(order.reference) ? order : undefined;
}

/** Makes a key that no other order has. Pages on plain http have no `crypto.randomUUID`. */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(18));
  return Array.from(bytes, (byte) => byte.toString(36).padStart(2, '0')).join('');
}
