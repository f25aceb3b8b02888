import { type FlowStorage, NAME } from './page.ts';

/** The order that this browser is busy with. Nothing in it is personal. */
export interface KeptOrder {
  /** The idempotency key that finds the order again. Absent if another page placed it. */
  key?: string | undefined;
  /** The digest of its cart. */
  cart?: string | undefined;
  /** Its payment. Absent until the shop has answered. */
  reference?: string | undefined;
  /** Something was sent, and may still be approved. */
  isSent?: boolean;
  /** It failed, and the customer has seen that: the cart is shown again. */
  isSeen?: boolean;
}

/** Keeps an order for all tabs of the browser, or for this page where storage is blocked or full. */
export class OrderKeeper {
  readonly #storage: () => FlowStorage | undefined;
  #ofThisPage: KeptOrder | undefined;

  constructor(storage: () => FlowStorage | undefined) {
    this.#storage = storage;
  }

  read(): KeptOrder | undefined {
    if (this.#ofThisPage) return this.#ofThisPage; // newer than what a full storage still has
    try {
      const text = this.#storage()?.getItem(NAME);
      return text ? parseOrder(text) : undefined;
    } catch {
      return undefined;
    }
  }

  write(order: KeptOrder | undefined): void {
    this.#ofThisPage = undefined;
    try {
      const storage = this.#storage();
      if (!storage) this.#ofThisPage = order;
      else if (order) storage.setItem(NAME, JSON.stringify(order));
      else storage.removeItem(NAME);
    } catch {
      this.#ofThisPage = order ?? {};
    }
  }

  /** Notes more about the order of a payment; another order that is kept stays as it is. */
  note(reference: string, more: Partial<KeptOrder>): void {
    const kept = this.read();
    if (kept?.reference === reference) this.write({ ...kept, ...more });
  }

  forget(reference: string): void {
    if (this.read()?.reference === reference) this.write(undefined);
  }
}

function parseOrder(text: string): KeptOrder | undefined {
  const order = Object(JSON.parse(text)) as KeptOrder;
  const isText = (value = '') => /^[\w.-]*$/.test(value);
  return isText(order.key) && isText(order.reference) ? order : undefined;
}

/** Returns a short text that tells one cart from another, and nothing about what is in it. */
export function digestCart(cart: unknown): string {
  const text = JSON.stringify(cart) ?? '';
  let [one, two] = [0xdeadbeef, 0x41c6ce57];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    one = Math.imul(one ^ code, 2_654_435_761);
    two = Math.imul(two ^ code, 1_597_334_677);
  }
  return `${(one >>> 0).toString(36)}${(two >>> 0).toString(36)}${text.length.toString(36)}`;
}

/** Makes a key that no other order has. Pages on plain http have no `crypto.randomUUID`. */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(18));
  return Array.from(bytes, (byte) => byte.toString(36).padStart(2, '0')).join('');
}
