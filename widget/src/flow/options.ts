import type { FlowStorage } from './page.ts';
import type { FlowHeaders, ShopApi } from './shop-api.ts';

/** The callbacks that the flow passes to `getPaid` (specification 2.1). */
export interface PopupCallbacks {
  onSuccess(): void;
  onClose(): void;
  onConfirmationPending(): void;
}

export interface FlowOptions {
  /** The base of the routes of `@service-pay/server`, such as `'/api'`, or functions of your own. */
  api: string | ShopApi;
  /** `ServicePay.getPaid` of the script tag by default. */
  // biome-ignore lint/suspicious/noExplicitAny: `getPaid` of the script tag has no type here
  getPaid?: (options: any) => unknown;
  /**
   * Headers of verify, retry and open, if your framework demands a token with every POST: an object,
   * or a function that returns one or a promise of one, called before each call. `place` is yours.
   */
  headers?: FlowHeaders;
  /** False if the shop has no route of events: the flow then polls. */
  events?: boolean;
  /** `localStorage` by default. For tests. */
  storage?: FlowStorage;
}

export interface CartOption {
  /** Any JSON value. Without it, all calls of `pay` mean one order until it has ended. */
  cart?: unknown;
}
