import '../require-node.ts';
import type { Payments } from '../create-payments.ts';
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

const WEBHOOK = 'POST /webhooks/service-pay';
const OF_PAYMENT = /^(POST|GET) \/api\/payments\/([^/]+)\/(verify|retry|events)$/;

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
  return (request) =>
    answer(request).catch((thrown: unknown) => {
      const error = toPaymentsError(thrown);
      if (isFailure(error)) payments.log.error({ err: thrown, code: error.code }, 'request failed');
      return json(error.httpStatus, errorEnvelope(error), retryAfter(error));
    });

  async function answer(request: Request): Promise<Response> {
    const asked = `${request.method} ${new URL(request.url).pathname}`;
    if (asked === WEBHOOK) {
      const rawBody = () => readBody(request);
      const { headers } = request;
      const { body, ...answered } = await payments.receiveWebhook({ headers, rawBody });
      return new Response(body, answered);
    }
    const [, method, name, action] = OF_PAYMENT.exec(asked) ?? [];
    if (!name || (method === 'GET') !== (action === 'events'))
      throw new PaymentsError('route_not_found', 'There is no such route.');
    const reference = parseReference(name);
    const whose = { owner: await findOwner(request) };
    if (action === 'verify') {
      const { shown, message } = await payments.confirm(reference, whose);
      return json(200, envelope(shown, message));
    }
    if (action === 'retry') {
      const { payment, isNew } = await payments.retry(reference, whose);
      return json(isNew ? 201 : 200, envelope(checkoutOptions(payment)));
    }
    const events = await payments.events(reference, { ...whose, signal: request.signal });
    // a reader that leaves ends the events, within seconds
    const stream = ReadableStream.from(events).pipeThrough(new TextEncoderStream());
    return new Response(stream, {
      headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-store' },
    });
  }
}

async function readBody({ body }: Request): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.length;
    if (size > LARGEST_WEBHOOK)
      throw new PaymentsError('body_too_large', 'The body is larger than 64 kB.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function json(status: number, body: object, headers: Record<string, string> = {}): Response {
  return Response.json(body, { status, headers: { 'cache-control': 'no-store', ...headers } });
}
