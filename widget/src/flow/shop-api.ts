import type { PaymentAnswer } from './flow-state.ts';

/** The options that `getPaid` takes, without callbacks. */
export interface PopupOptions {
  reference: string;
  [option: string]: unknown;
}

/**
 * The shop's routes, as functions. Each resolves with what its route returns in `data`, and rejects
 * with an error whose `status` is the HTTP status; without one, the shop counts as unreachable.
 */
export interface ShopApi {
  /** `POST /payments/:reference/verify` */
  verify(reference: string): Promise<PaymentAnswer>;
  /** `POST /payments/:reference/retry`: the order's open payment, or a new one (D61). */
  retry(reference: string): Promise<PopupOptions>;
  /** `GET /orders/open`: this browser's newest open payment. */
  open(): Promise<PopupOptions | null>;
  /** `GET /payments/:reference/events`. Without it, the flow asks `verify` every three seconds. */
  events?(reference: string, listener: (answer: PaymentAnswer) => void): { close(): void };
}

/** The shop did not do what was asked. `status` is 0 if it could not be reached. */
export class ShopError extends Error {
  override readonly name = 'ShopError';
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** The connection of a phone that was asleep, or of a shop that hangs, may never answer. */
export const LONGEST_ANSWER_MS = 30_000;

/** Calls the routes of `@service-pay/server` below `base`, with the cookie of a shop of another origin. */
export function buildShopApi(base: string): ShopApi {
  const ofPayment = (reference: string) => `${base}/payments/${encodeURIComponent(reference)}`;
  const { EventSource } = globalThis as Partial<typeof globalThis>;
  return {
    verify: (reference) => call('POST', `${ofPayment(reference)}/verify`),
    retry: (reference) => call('POST', `${ofPayment(reference)}/retry`),
    open: () => call('GET', `${base}/orders/open`),
    ...(EventSource && {
      events(reference, listener) {
        const address = `${ofPayment(reference)}/events`;
        const stream = new EventSource(address, { withCredentials: true });
        stream.addEventListener('payment', ({ data }) => listener(JSON.parse(data)));
        return stream;
      },
    }),
  };
}

async function call<Data>(method: string, path: string): Promise<Data> {
  let response: Response;
  let envelope: { data: Data; message?: string } | undefined;
  try {
    const signal = AbortSignal.timeout(LONGEST_ANSWER_MS);
    response = await fetch(path, { method, signal, credentials: 'include' });
    envelope = await response.json();
  } catch {
    throw new ShopError(0, 'The shop could not be reached.');
  }
  if (response.ok && envelope?.data !== undefined) return envelope.data;
  throw new ShopError(response.status, envelope?.message ?? `HTTP ${response.status}`);
}

/** Returns the HTTP status that an error carries, or 0. */
export function statusOf(error: unknown): number {
  const { status } = Object(error) as { status?: unknown };
  return typeof status === 'number' ? status : 0;
}
