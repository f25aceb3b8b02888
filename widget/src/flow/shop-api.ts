import type { ShopPayment } from '@service-pay/contract/shop-api';
import {
  pathOf,
  SHOP_ROUTES,
  SHOWN_STATUSES,
  type ShopRoute,
} from '@service-pay/contract/shop-routes';

export type { ShopPayment };

/** The options that `getPaid` takes, without callbacks. */
export interface PopupOptions {
  reference: string;
  [option: string]: unknown;
}

/**
 * The shop's routes, as functions. Each resolves with what its route returns in `data`, and rejects
 * with an error whose `status` is the HTTP status; without one, the shop counts as unreachable. The
 * signal aborts after 30 seconds, or once nobody waits any more.
 */
export interface ShopApi {
  /** `POST /payments/:reference/verify` */
  verify(reference: string, signal: AbortSignal): Promise<ShopPayment>;
  /** `POST /payments/:reference/retry`: the order's open payment, or a new one (D61). */
  retry(reference: string, signal: AbortSignal): Promise<PopupOptions>;
  /** `GET /orders/open`: this browser's newest payment that can still be paid, or null. */
  open(signal: AbortSignal): Promise<PopupOptions | null>;
  /** `GET /payments/:reference/events`. Without it, the flow polls `verify` every three seconds. */
  events?(reference: string, listener: (payment: ShopPayment) => void): { close(): void };
}

/** Headers of each call, such as a token against forgery: an object, or a function of one (D67). */
export type FlowHeaders =
  | Readonly<Record<string, string>>
  | (() => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>);

/** The shop did not do what was requested. `status` is 0 if it did not respond. */
export class ShopError extends Error {
  override readonly name = 'ShopError';
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** Calls the routes below `base`, with the cookie of a shop of another origin. */
export function buildShopApi(
  base: string,
  { headers, events = true }: { headers?: FlowHeaders | undefined; events?: boolean | undefined },
): ShopApi {
  const call = async <Data>(route: ShopRoute, signal: AbortSignal, reference?: string) => {
    const { method } = SHOP_ROUTES[route];
    const more = typeof headers === 'function' ? await headers() : headers;
    let response: Response;
    let envelope: { data?: Data; message?: string } | null;
    try {
      response = await fetch(base + pathOf(route, reference), {
        method,
        signal,
        credentials: 'include',
        ...(more && { headers: more }),
      });
      envelope = await response.json().catch(() => null);
    } catch {
      throw new ShopError(0, 'The shop could not be reached.');
    }
    if (response.ok) return envelope?.data as Data;
    throw new ShopError(response.status, envelope?.message ?? `HTTP ${response.status}`);
  };
  const { EventSource } = globalThis as Partial<typeof globalThis>;
  let hasEvents = events;
  return {
    verify: (reference, signal) => call('verify', signal, reference),
    retry: (reference, signal) => call('retry', signal, reference),
    open: (signal) => call('open', signal),
    ...(EventSource && {
      events(reference, listener) {
        if (!hasEvents) return { close() {} };
        const address = base + pathOf('events', reference);
        const stream = new EventSource(address, { withCredentials: true });
        stream.addEventListener('payment', ({ data }) => listener(JSON.parse(data)));
        stream.addEventListener('error', () => {
          if (stream.readyState === EventSource.CLOSED) hasEvents = false; // 404 or 204
        });
        return stream;
      },
    }),
  };
}

/** Returns the first field of a payment that is not as the contract says, or undefined. */
export function findPaymentProblem(data: unknown): string | undefined {
  const payment = Object(data) as Partial<ShopPayment>;
  if (!isReference(payment.reference)) return 'reference';
  if (!SHOWN_STATUSES.some((status) => status === payment.status)) return 'status';
  if (typeof payment.amount !== 'string') return 'amount';
  if (typeof payment.currency !== 'string') return 'currency';
  return typeof payment.isWaitingForCustomer === 'boolean' ? undefined : 'isWaitingForCustomer';
}

/** Returns whether something can be passed to `getPaid`, which checks the other options. */
export function isPayable(data: unknown): data is PopupOptions {
  return isReference((Object(data) as Partial<PopupOptions>).reference);
}

function isReference(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}

/** Returns the HTTP status that an error carries, or 0. */
export function statusOf(error: unknown): number {
  const { status } = Object(error) as { status?: unknown };
  return typeof status === 'number' ? status : 0;
}
