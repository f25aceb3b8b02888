import type { Payments } from '../create-payments.ts';
import { isFailure, PaymentsError, rejectProblems, toPaymentsError } from '../errors.ts';
import { failureFields, isPassing } from '../observe/failure-log.ts';
import type { WaitUntil } from '../routes/afterwards.ts';
import { corsHeaders } from '../routes/own-pages.ts';
import { buildPaymentRoutes, buildWebhookRoute, type RoutesOptions } from '../routes/routes.ts';
import type { Route, ShopResponse } from '../routes/shop-route.ts';
import { buildThrottle } from '../support/clock.ts';
import { errorResponse } from './error-response.ts';
import { toEventStream } from './event-stream.ts';
import { type FetchHost, findBody, type HostBody } from './host-body.ts';

const LOG_EVERY_MS = 1_000;

export interface FetchOptions<Data> extends RoutesOptions<Data, Request> {
  /** The path prefix of all routes, such as `/shop`, like `basePath` of Next.js. */
  basePath?: string;
  /** Returns the customer's address, as your proxy names it, to limit event streams per address. */
  findAddress?(request: Request): string | undefined;
  /**
   * Gets a promise of the work that a webhook or a confirmed payment leaves, so that the host lets
   * the function live until it ends: `waitUntil` of Vercel, or `after` of Next.js.
   */
  waitUntil?: WaitUntil;
}

/** Responds to a request. Frameworks that have Node's own request pass it on as `host.incoming`. */
export type FetchHandler = (request: Request, host?: FetchHost) => Promise<Response>;

/**
 * Serves the webhook, `GET /api/orders/open` (the options of the owner's newest open payment, or
 * null), and verify, retry and the event stream of a payment, for frameworks with `Request` and
 * `Response`. Responds to any other path with 404.
 */
export function buildFetchHandler<Data>(
  payments: Payments<Data>,
  { basePath = '', findAddress, waitUntil, ...options }: FetchOptions<Data>,
): FetchHandler {
  rejectProblems({
    basePath: !/^(?:\/.*)?$/.test(basePath) && 'must begin with a slash, such as "/shop".',
  });
  const { clock, log } = payments;
  const mayLog = buildThrottle(clock, LOG_EVERY_MS);
  const webhook = buildWebhookRoute(payments, waitUntil);
  const routes = [webhook, ...buildPaymentRoutes(payments, options, waitUntil)].map(toMatcher);

  return async (request, host = {}) => {
    const body = findBody(request, host, clock);
    const response = await respond(request, body).catch((thrown: unknown) => {
      const error = toPaymentsError(thrown);
      const { code } = error;
      const level = isPassing(error) ? 'warn' : 'error';
      if (isFailure(error) && mayLog(code))
        log[level]({ ...failureFields(thrown), code }, 'request failed');
      return errorResponse(error);
    });
    for (const [name, value] of Object.entries(corsHeaders(request.headers, options)))
      response.headers.set(name, value);
    body.release(response.headers);
    return response;
  };

  async function respond(request: Request, { read: readBody }: HostBody): Promise<Response> {
    const { headers, method, signal } = request;
    const path = pathOf(request);
    const found = routes.map(({ match }) => match(path)).find((one) => one !== undefined);
    const isPreflight =
      method === 'OPTIONS' && 'Access-Control-Allow-Origin' in corsHeaders(headers, options);
    if (found && isPreflight) return new Response(null, { status: 204 });
    if (found?.route.method !== method)
      throw new PaymentsError('route_not_found', 'There is no such route.');
    const ending = new AbortController();
    const response = await found.route.respond({
      native: request,
      headers,
      reference: found.reference,
      address: findAddress?.(request),
      readBody,
      signal: AbortSignal.any([signal, ending.signal]),
    });
    return toResponse(response, () => ending.abort());
  }

  function toResponse({ status, headers, body }: ShopResponse, end: () => void): Response {
    const isText = typeof body === 'string';
    return new Response(isText ? body : toEventStream(body, clock, end), { status, headers });
  }

  /** Returns the path without the base path, which some hosts remove, and without a final slash. */
  function pathOf({ url }: Request): string {
    const { pathname } = new URL(url);
    const base = basePath.replace(/\/$/, '');
    const path = pathname.startsWith(`${base}/`) ? pathname.slice(base.length) : pathname;
    return path.replace(/\/$/, '');
  }
}

/** Returns a function that returns the route and the reference in a path, if the path is its own. */
function toMatcher(route: Route<Request>) {
  const pattern = new RegExp(`^${route.path.replace(':reference', '([^/]+)')}$`);
  return {
    match(path: string) {
      const found = pattern.exec(path);
      return found ? { route, reference: found[1] } : undefined;
    },
  };
}
