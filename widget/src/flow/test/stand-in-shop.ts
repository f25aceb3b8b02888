import type { FlowState } from '../flow-state.ts';
import type { PopupCallbacks } from '../options.ts';
import type { OrderFlow } from '../order-flow.ts';
import type { FlowStorage, PageNews } from '../page.ts';
import { type PopupOptions, type ShopApi, ShopError, type ShopPayment } from '../shop-api.ts';

export const HONEY = { sku: 'honey' };
export const COFFEE = { sku: 'coffee' };

/** A shop that responds as a test says, and a popup that only remembers what opened it. */
export class Shop {
  readonly keys: string[] = [];
  readonly popups: (PopupOptions & PopupCallbacks)[] = [];
  readonly responses = new Map<string, Partial<ShopPayment> | ShopError>();
  open: string | undefined;
  /** How often a payment was verified. */
  verified = 0;

  readonly api: ShopApi = {
    verify: async (reference) => {
      this.verified++;
      const response = this.responses.get(reference) ?? {};
      if (response instanceof ShopError) throw response;
      const money = { amount: '92.50', currency: 'ZMW' };
      return { reference, status: 'pending', ...money, isWaitingForCustomer: false, ...response };
    },
    retry: async (reference) => ({ reference: `${reference}-again` }),
    open: async () => (this.open ? { reference: this.open } : null),
  };

  readonly getPaid = (options: PopupOptions & PopupCallbacks) => void this.popups.push(options);

  /** The same key finds the same order. */
  readonly place = async (key: string): Promise<PopupOptions> => {
    this.keys.push(key);
    return { reference: `order-${[...new Set(this.keys)].indexOf(key) + 1}` };
  };

  /** Leaves the popup that is open. */
  leave(how: keyof PopupCallbacks): void {
    this.popups.at(-1)?.[how]();
  }
}

export function keepIn(items: Map<string, string>): FlowStorage {
  return {
    getItem: (name) => items.get(name) ?? null,
    setItem: (name, text) => void items.set(name, text),
    removeItem: (name) => void items.delete(name),
  };
}

/** Waits until a flow shows a screen, or is in a state. */
export async function reaches(
  flow: OrderFlow,
  wanted: FlowState['screen'] | ((state: FlowState) => boolean),
): Promise<void> {
  const isReached = () =>
    typeof wanted === 'string' ? flow.state.screen === wanted : wanted(flow.state);
  if (isReached()) return;
  await new Promise<void>((resolve) => {
    const stop = flow.subscribe(() => {
      if (!isReached()) return;
      stop();
      resolve();
    });
  });
}

/** The news of a page, as a test makes it up. */
export function buildNews() {
  let listener = (_news: PageNews) => {};
  return {
    watch(given: (news: PageNews) => void): () => void {
      listener = given;
      return () => {};
    },
    notify: (news: PageNews) => listener(news),
  };
}

/** A page's timers, which end when a test says so. */
export function buildTimers() {
  const waiting = new Set<{ ms: number; task: () => void }>();
  return {
    after(ms: number, task: () => void): () => void {
      const timer = { ms, task };
      waiting.add(timer);
      return () => void waiting.delete(timer);
    },
    /** How long each timer that has not ended waits. */
    waiting: () => [...waiting].map(({ ms }) => ms),
    /** Waits until a timer of this length was started, and ends it. */
    async end(ms: number): Promise<void> {
      for (;;) {
        const timer = [...waiting].find((one) => one.ms === ms);
        if (timer) {
          waiting.delete(timer);
          return timer.task();
        }
        await aMoment([...waiting]);
      }
    },
  };
}

const MOST_MOMENTS = 1_000;

let moments = 0;

/** Lets everything happen that waits for no timer of the page. `state` explains an endless wait. */
export async function aMoment(state?: unknown): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve));
  if (++moments % MOST_MOMENTS === 0) throw new Error(`Waited in vain: ${JSON.stringify(state)}`);
}
