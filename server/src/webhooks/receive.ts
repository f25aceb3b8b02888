import { createHash } from 'node:crypto';

import {
  envelope,
  errorEnvelope,
  isFailure,
  type PaymentsErrorCode,
  retryAfter,
  toPaymentsError,
} from '../errors.ts';
import type { Log } from '../observe/log.ts';
import type { Metrics } from '../observe/metrics.ts';
import type { ConfirmQueue } from '../payments/confirm-queue.ts';
import { FIRST_PAUSE_MS } from '../payments/reconciler.ts';
import type { ShopStore } from '../payments/store.ts';
import { buildThrottle, type Clock } from '../support/clock.ts';
import type { Failpoint } from '../support/failpoint.ts';
import {
  type Headers,
  readSignature,
  signatureInvalid,
  verifyWebhook,
  type WebhookEvent,
} from './event.ts';

const LOG_EVERY_MS = 1_000;
const ALERT_EVERY_MS = 60_000;

export interface WebhookRequest {
  headers: Headers;
  rawBody: Buffer | (() => Promise<Buffer>);
}

export interface WebhookAnswer {
  status: number;
  headers: Record<string, string>;
  body: string;
  /** Why the webhook was refused. */
  code?: PaymentsErrorCode;
}

export interface WebhooksDeps {
  store: ShopStore;
  confirms: ConfirmQueue;
  metrics: Metrics;
  tokens: readonly string[];
  clock: Clock;
  log: Log;
  failpoint: Failpoint;
}

/**
 * Builds the receiver of the service's webhooks. It parses and writes nothing before the signature
 * holds (T81), and answers 200 once the webhook is stored (D54).
 */
export function buildReceiver(
  deps: WebhooksDeps,
): (request: WebhookRequest) => Promise<WebhookAnswer> {
  const { store, confirms, metrics, tokens, clock, log, failpoint } = deps;
  const mayLog = buildThrottle(clock, LOG_EVERY_MS);
  const mayAlert = buildThrottle(clock, ALERT_EVERY_MS);

  return async ({ headers, rawBody }) => {
    try {
      refuseUnsigned(headers); // unread (T91)
      const body = typeof rawBody === 'function' ? await rawBody() : rawBody;
      const event = verify(body, headers);
      await keep(body, event);
      if (event.reference) confirms.add(event.reference, 'webhook');
      return toAnswer(200, envelope({}, 'stored'));
    } catch (thrown) {
      const error = toPaymentsError(thrown);
      const { code } = error;
      if (isFailure(error) && mayAlert(code))
        log.error({ err: thrown, code }, 'webhook not stored');
      return { ...toAnswer(error.httpStatus, errorEnvelope(error), retryAfter(error)), code };
    }
  };

  function refuseUnsigned(headers: Headers): void {
    if (readSignature(headers)) return;
    metrics.countDelivery('unsigned');
    if (mayLog('unsigned')) log.warn({}, 'webhook refused: it is not signed');
    throw signatureInvalid();
  }

  function verify(body: Buffer, headers: Headers): WebhookEvent {
    try {
      return verifyWebhook(body, headers, tokens);
    } catch (error) {
      const isForeign = toPaymentsError(error).code === 'signature_invalid';
      metrics.countDelivery(isForeign ? 'signature_refused' : 'unreadable');
      if (isForeign) reportForeign(body.length);
      throw error;
    }
  }

  function reportForeign(bytes: number): void {
    if (!mayLog('foreign')) return;
    if (!mayAlert('foreign')) {
      log.warn({ bytes }, 'webhook refused: wrong signature');
      return;
    }
    metrics.countAlert('signature_refused');
    log.error(
      { bytes },
      'webhook refused: its signature is not of our API token. If the service sent it, one of us has another token',
    );
  }

  async function keep(rawBody: Buffer, event: WebhookEvent): Promise<void> {
    const now = clock.now();
    const id = createHash('sha256').update(rawBody).digest('hex');
    const delivery = { id, ...event, body: rawBody.toString('utf8'), received_at: now };
    try {
      const isNew = await store.storeDelivery(delivery, now + FIRST_PAUSE_MS);
      metrics.countDelivery(isNew ? 'stored' : 'duplicate');
    } catch (error) {
      metrics.countDelivery('not_stored');
      throw error;
    }
    await failpoint('before-acknowledge');
  }
}

function toAnswer(status: number, body: object, headers = {}): WebhookAnswer {
  return {
    status,
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  };
}
