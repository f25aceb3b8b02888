import { createHash } from 'node:crypto';

import {
  bodyAlreadyRead,
  envelope,
  errorEnvelope,
  isFailure,
  type PaymentsError,
  type PaymentsErrorCode,
  retryAfter,
  toPaymentsError,
} from '../errors.ts';
import { buildFailureLog } from '../observe/failure-log.ts';
import type { ConfirmQueue } from '../payments/confirm-queue.ts';
import { FIRST_PAUSE_MS } from '../payments/reconciler.ts';
import type { SharedParts } from '../payments/shared-parts.ts';
import { buildThrottle } from '../support/clock.ts';
import { type RequestHeaders, readHeader } from '../support/headers.ts';
import { traced } from '../support/tracing.ts';
import { type RawBody, readSignature, signatureInvalid, toBytes, verifyWebhook } from './event.ts';

const LOG_EVERY_MS = 60_000;

export interface WebhookRequest {
  headers: RequestHeaders;
  rawBody: RawBody | (() => Promise<RawBody>);
  /** True if `rawBody` is base64, as serverless platforms pass it on. */
  isBase64Encoded?: boolean | undefined;
}

export interface WebhookResponse {
  status: number;
  headers: Record<string, string>;
  body: string;
  /** Why the webhook was rejected. */
  code?: PaymentsErrorCode;
}

interface ReceiverParts
  extends Pick<SharedParts, 'store' | 'metrics' | 'clock' | 'log' | 'failpoint'> {
  confirms: ConfirmQueue;
  tokens: readonly string[];
}

/**
 * Builds the receiver of webhooks. It parses and writes nothing before the signature is verified
 * (T81), and responds with 200 once the webhook is stored (D54).
 */
export function buildReceiver({
  store,
  confirms,
  metrics,
  tokens,
  clock,
  log,
  failpoint,
}: ReceiverParts): (request: WebhookRequest) => Promise<WebhookResponse> {
  const mayLog = buildThrottle(clock, LOG_EVERY_MS);
  const failures = buildFailureLog(clock, log);

  return (request) => {
    const call: { event?: string; reference?: string | null } = {};
    return traced('webhook', call, () => receive(request, call));
  };

  async function receive(
    { headers, rawBody, isBase64Encoded }: WebhookRequest,
    call: object,
  ): Promise<WebhookResponse> {
    try {
      if (!readSignature(headers)) throw signatureInvalid(); // without reading its body (T91)
      const given = typeof rawBody === 'function' ? await rawBody() : rawBody;
      const bytes = readBytes(given);
      const body = isBase64Encoded ? Buffer.from(bytes.toString('latin1'), 'base64') : bytes;
      if (!body.length && Number(readHeader(headers, 'content-length')[0]) > 0)
        throw bodyAlreadyRead();
      const event = verifyWebhook(body, headers, tokens);
      Object.assign(call, { event: event.event, reference: event.reference });
      const now = clock.now();
      const id = createHash('sha256').update(body).digest('hex');
      const delivery = { id, ...event, body: body.toString('utf8'), received_at: now };
      const isNew = await store.storeDelivery(delivery, now + FIRST_PAUSE_MS);
      failures.worked();
      metrics.countDelivery(isNew ? 'stored' : 'duplicate');
      await failpoint('before-acknowledge');
      if (event.reference) confirms.add(event.reference, 'webhook');
      return toResponse(200, envelope({}, 'stored'));
    } catch (thrown) {
      const error = toPaymentsError(thrown);
      const { code } = error;
      if (code !== 'signature_invalid') reportNotStored(error);
      else if (readSignature(headers)) reportForeign();
      else reportUnsigned();
      return { ...toResponse(error.httpStatus, errorEnvelope(error), retryAfter(error)), code };
    }
  }

  function reportNotStored(error: PaymentsError): void {
    const { code, cause } = error;
    if (code === 'invalid_request') metrics.countDelivery('unreadable');
    if (!isFailure(error)) return;
    metrics.countDelivery('not_stored');
    failures.failed('webhook not stored', cause ?? error, { code });
  }

  function reportForeign(): void {
    metrics.countDelivery('signature_refused');
    if (!mayLog('foreign')) return;
    metrics.countAlert('signature_refused');
    // no error, because anybody can send one: the alert EveryWebhookRejected looks at all of them
    log.warn({}, 'webhook rejected; signature is not from our API token');
  }

  function reportUnsigned(): void {
    metrics.countDelivery('unsigned');
    if (mayLog('unsigned')) log.warn({}, 'webhook rejected; not signed');
  }
}

function readBytes(rawBody: RawBody): Buffer {
  try {
    return toBytes(rawBody);
  } catch {
    throw bodyAlreadyRead(); // something parsed it into an object
  }
}

function toResponse(status: number, body: object, headers = {}): WebhookResponse {
  return {
    status,
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  };
}
