import type { PaymentsErrorCode } from '../errors.ts';
import type { RequestHeaders } from '../support/headers.ts';

/** A request as the routes see it, whatever server it came to. */
export interface ShopRequest<Native> {
  /** The request of the framework, for the shop's `findOwner`. */
  readonly native: Native;
  readonly headers: RequestHeaders;
  /** The part of the path that names a payment. */
  readonly reference: string | undefined;
  /** The customer's address, if it is known. */
  readonly address: string | undefined;
  /** Reads the whole body. */
  readBody(): Promise<Buffer>;
  /** Aborts once the response has ended, or the client has left. */
  readonly signal: AbortSignal;
}

export interface ShopResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** A text, or the texts of an event stream, which end once the signal aborts. */
  readonly body: string | AsyncGenerator<string>;
  /** Why a webhook was rejected. */
  readonly code?: PaymentsErrorCode | undefined;
}

/** One of the routes. A host matches its path, limits it, translates, and sends what it throws. */
export interface Route<Native> {
  readonly name: 'webhook' | 'open' | 'verify' | 'retry' | 'events';
  readonly method: 'GET' | 'POST';
  /** Such as `/api/payments/:reference/verify`. */
  readonly path: string;
  respond(request: ShopRequest<Native>): Promise<ShopResponse>;
}
