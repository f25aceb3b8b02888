import '../require-node.ts';
import type { Payments, Whose } from '../create-payments.ts';
import {
  envelope,
  errorEnvelope,
  isFailure,
  PaymentsError,
  retryAfter,
  toPaymentsError,
} from '../errors.ts';
import type { Payment } from '../payments/payment.ts';
import { parseReference } from '../payments/reference.ts';
import { LARGEST_WEBHOOK } from '../webhooks/event.ts';

const WEBHOOK_PATH = '/webhooks/service-pay';
const PAYMENT_PATH = /^\/api\/payments\/([^/]+)\/(verify|retry|events)$/;

export interface FetchOptions<Data> {
  /** Returns the owner that the request names in a cookie or a session, or undefined. */
  findOwner(request: Request): string | undefined | Promise<string | undefined>;
  /** Returns the options for `getPaid`, which retry answers with. */
  checkoutOptions(payment: Payment<Data>): object;
}

/**
 * Answers the webhook, and verify, retry and the event stream of a payment, for frameworks that
 * speak `Request` and `Response`. Any other path is answered 404.
 */
export function buildFetchHandler<Data>(
  payments: Payments<Data>,
  { findOwner, checkoutOptions }: FetchOptions<Data>,
): (request: Request) => Promise<Response> {
  return async (request) => {
    try {
      return await answer(request);
    } catch (thrown) {
      const error = toPaymentsError(thrown);
      if (isFailure(error)) payments.log.error({ err: thrown, code: error.code }, 'request failed');
      return json(error.httpStatus, errorEnvelope(error), retryAfter(error));
    }
  };

  async function answer(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    if (request.method === 'POST' && pathname === WEBHOOK_PATH) return takeWebhook(request);
    const [, name, action] = PAYMENT_PATH.exec(pathname) ?? [];
    if (name === undefined || request.method !== (action === 'events' ? 'GET' : 'POST'))
      throw new PaymentsError(
        'route_not_found',
        `There is no route for ${request.method} on this path.`,
      );
    const reference = parseReference(name);
    const owner = await findOwner(request);
    if (action === 'events') return streamEvents(request, reference, { owner });
    if (action === 'verify') {
      const { shown, message } = await payments.confirm(reference, { owner });
      return json(200, envelope(shown, message));
    }
    const { payment, isNew } = await payments.retry(reference, { owner });
    return json(isNew ? 201 : 200, envelope(checkoutOptions(payment)));
  }

  async function takeWebhook(request: Request): Promise<Response> {
    const { body, ...answer } = await payments.receiveWebhook({
      headers: Object.fromEntries(request.headers),
      rawBody: () => readBody(request),
    });
    return new Response(body, answer);
  }

  async function streamEvents(
    request: Request,
    reference: string,
    whose: Whose,
  ): Promise<Response> {
    const ending = new AbortController();
    const signal = AbortSignal.any([request.signal, ending.signal]);
    const events = await payments.events(reference, { ...whose, signal });
    const encoder = new TextEncoder();
    const body = new ReadableStream<Uint8Array>({
      async pull(controller) {
        const { done, value } = await events.next();
        if (done) controller.close();
        else controller.enqueue(encoder.encode(value));
      },
      cancel: () => ending.abort(),
    });
    return new Response(body, {
      headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-store' },
    });
  }
}

async function readBody(request: Request): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body ?? []) {
    size += chunk.length;
    if (size > LARGEST_WEBHOOK)
      throw new PaymentsError('body_too_large', 'The body is larger than this route takes.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function json(status: number, body: object, headers: Record<string, string> = {}): Response {
  return new Response(JSON.stringify(body), {
    status,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store', ...headers },
  });
}
