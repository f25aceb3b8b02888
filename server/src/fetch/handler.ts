import type { Payments } from '../create-payments.ts';
import { envelope, isFailure, PaymentsError, rejectProblems, toPaymentsError } from '../errors.ts';
import { EVENT_STREAM_HEADERS, OpenStreams } from '../events/open-streams.ts';
import type { Payment } from '../payments/payment.ts';
import { parseReference } from '../payments/reference.ts';
import { buildThrottle } from '../support/clock.ts';
import { assertOwnPages, type OwnPages, rejectForeignPage } from '../transport/own-pages.ts';
import { errorResponse, json } from './error-response.ts';
import { toEventStream } from './event-stream.ts';
import { type FetchHost, findBody, type HostBody } from './host-body.ts';

const WEBHOOK = 'POST /webhooks/service-pay';
const OPEN = 'GET /api/orders/open';
const OF_PAYMENT = /^(POST|GET) \/api\/payments\/([^/]+)\/(verify|retry|events)$/;

const LOG_EVERY_MS = 1_000;

/** Shared by all handlers, because a framework may build one for each request. */
const streams = new OpenStreams();

export interface FetchOptions<Data> extends OwnPages {
  /** Returns the owner that the request names in a cookie or a session, or undefined. */
  findOwner(request: Request): string | undefined | Promise<string | undefined>;
  /** Returns the options for `getPaid`, the response of retry. */
  checkoutOptions(payment: Payment<Data>): object;
  /** The path prefix of all routes, such as `/shop`, like `basePath` of Next.js. */
  basePath?: string;
  /** Returns the customer's address, as your proxy names it, to limit event streams per address. */
  findAddress?(request: Request): string | undefined;
  /**
   * Gets a promise of the work that a webhook or a confirmed payment leaves, so that the host lets
   * the function live until it ends: `waitUntil` of Vercel, or `after` of Next.js.
   */
  waitUntil?(work: Promise<unknown>): void;
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
  {
    findOwner,
    checkoutOptions,
    basePath = '',
    findAddress,
    waitUntil,
    ...ownPages
  }: FetchOptions<Data>,
): FetchHandler {
  assertOwnPages(ownPages);
  rejectProblems({
    basePath: !/^(?:\/.*)?$/.test(basePath) && 'must begin with a slash, such as "/shop".',
  });
  const { clock, log } = payments;
  const mayLog = buildThrottle(clock, LOG_EVERY_MS);

  return async (request, host = {}) => {
    const body = findBody(request, host, clock);
    const response = await answer(request, body).catch((thrown: unknown) => {
      const error = toPaymentsError(thrown);
      const { code } = error;
      if (isFailure(error) && mayLog(code)) log.error({ err: thrown, code }, 'request failed');
      return errorResponse(error);
    });
    body.release(response.headers);
    return response;
  };

  async function answer(request: Request, { read: rawBody }: HostBody): Promise<Response> {
    const { headers } = request;
    const asked = `${request.method} ${pathOf(request)}`;
    if (asked === WEBHOOK) {
      const { body, ...answered } = await payments.receiveWebhook({ headers, rawBody });
      if (answered.status === 200) workAfterwards();
      return new Response(body, answered);
    }
    if (asked === OPEN) {
      const owner = await findOwner(request);
      const open = owner === undefined ? undefined : await payments.findOpen({ owner });
      return json(200, envelope(open ? checkoutOptions(open) : null));
    }
    const [, method, name, action] = OF_PAYMENT.exec(asked) ?? [];
    if (!name || (method === 'GET') !== (action === 'events'))
      throw new PaymentsError('route_not_found', 'There is no such route.');
    if (method === 'POST') {
      const site = headers.get('sec-fetch-site');
      rejectForeignPage({ origin: headers.get('origin'), site }, ownPages);
    }
    const reference = parseReference(name);
    const whose = { owner: await findOwner(request) };
    if (action === 'verify') {
      const { shown, message } = await payments.confirm(reference, whose);
      if (shown.status === 'successful') workAfterwards();
      return json(200, envelope(shown, message));
    }
    if (action === 'retry') {
      const { payment, isNew } = await payments.retry(reference, whose);
      return json(isNew ? 201 : 200, envelope(checkoutOptions(payment)));
    }
    return answerEvents(request, (signal) => payments.events(reference, { ...whose, signal }));
  }

  function workAfterwards(): void {
    const logFailure = (err: unknown) => log.warn({ err }, 'work after a response failed');
    waitUntil?.(payments.work().catch(logFailure));
  }

  /** Returns the path without the base path, which some hosts remove, and without a final slash. */
  function pathOf({ url }: Request): string {
    const { pathname } = new URL(url);
    const base = basePath.replace(/\/$/, '');
    const path = pathname.startsWith(`${base}/`) ? pathname.slice(base.length) : pathname;
    return path.replace(/\/$/, '');
  }

  async function answerEvents(
    request: Request,
    begin: (signal: AbortSignal) => Promise<AsyncGenerator<string>>,
  ): Promise<Response> {
    const remove = streams.add(findAddress?.(request));
    const ending = new AbortController();
    try {
      const events = await begin(AbortSignal.any([request.signal, ending.signal]));
      const stream = toEventStream(events, clock, () => {
        ending.abort();
        remove();
      });
      return new Response(stream, { headers: EVENT_STREAM_HEADERS });
    } catch (error) {
      remove();
      throw error;
    }
  }
}
