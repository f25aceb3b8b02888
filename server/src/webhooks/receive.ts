import { createHash } from 'node:crypto';
import { SIGNATURE_HEADER, SIGNATURE_PATTERN } from '@service-pay/contract/webhook';
import { isSignatureOf } from '@service-pay/contract/webhook-signature';

import {
  envelope,
  errorEnvelope,
  isFailure,
  PaymentsError,
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
import { readWebhookEvent } from './event.ts';

const LOG_EVERY_MS = 1_000;
const ALERT_EVERY_MS = 60_000;

export const SIGNATURE_REQUIRED = `${SIGNATURE_HEADER} must be the signature of the raw body.`;
export const EVENT_REQUIRED = 'The body must be a JSON event with a member "event".';

export type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

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
  confirms: Pick<ConfirmQueue, 'add'>;
  metrics: Metrics;
  tokens: readonly string[];
  clock: Clock;
  log: Log;
  failpoint: Failpoint;
}

/** Receives the service's webhooks: nothing is parsed or written before the signature holds (T81). */
export class Webhooks {
  readonly #deps: WebhooksDeps;
  readonly #mayLog: (key: string) => boolean;
  readonly #mayAlert: (key: string) => boolean;

  constructor(deps: WebhooksDeps) {
    this.#deps = deps;
    this.#mayLog = buildThrottle(deps.clock, LOG_EVERY_MS);
    this.#mayAlert = buildThrottle(deps.clock, ALERT_EVERY_MS);
  }

  /** Answers a webhook: 200 once it is stored. An unsigned one is refused unread (T91). */
  async take({ headers, rawBody }: WebhookRequest): Promise<WebhookAnswer> {
    try {
      const signature = this.#readSignature(headers);
      const body = typeof rawBody === 'function' ? await rawBody() : rawBody;
      const reference = await this.#store(body, signature);
      if (reference) this.#deps.confirms.add(reference);
      return toAnswer(200, envelope({}, 'stored'));
    } catch (thrown) {
      const error = toPaymentsError(thrown);
      const { code } = error;
      const mayLog = code === 'unavailable' ? this.#mayAlert : this.#mayLog;
      if (isFailure(error) && mayLog(code))
        this.#deps.log.error({ err: thrown, code }, 'webhook not stored');
      return { ...toAnswer(error.httpStatus, errorEnvelope(error), retryAfter(error)), code };
    }
  }

  #readSignature(headers: Headers): string {
    const signature = headers[SIGNATURE_HEADER.toLowerCase()];
    if (typeof signature === 'string' && SIGNATURE_PATTERN.test(signature)) return signature;
    if (this.#mayLog('unsigned')) this.#deps.log.warn({}, 'webhook refused: it is not signed');
    throw this.#refuse('unsigned');
  }

  /**
   * Checks the signature and stores the delivery once (specification 6, D54). Returns the payment to
   * confirm, or null if it names none. Fails with `signature_invalid` and `invalid_request`.
   */
  async #store(rawBody: Buffer, signature: string): Promise<string | null> {
    const { store, metrics, tokens, clock, failpoint } = this.#deps;
    if (!isSignatureOf(rawBody, signature, tokens)) throw this.#refuseSignature(rawBody.length);
    const read = readWebhookEvent(rawBody);
    if (!read) {
      metrics.countDelivery('unreadable');
      throw new PaymentsError('invalid_request', EVENT_REQUIRED);
    }
    const { event, reference } = read;
    const now = clock.now();
    const id = createHash('sha256').update(rawBody).digest('hex');
    const delivery = { id, event, reference, body: rawBody.toString('utf8'), received_at: now };
    try {
      const isNew = await store.storeDelivery(delivery, now + FIRST_PAUSE_MS);
      metrics.countDelivery(isNew ? 'stored' : 'duplicate');
    } catch (error) {
      metrics.countDelivery('not_stored');
      throw error;
    }
    await failpoint('before-acknowledge');
    return reference;
  }

  #refuseSignature(bytes: number): PaymentsError {
    const { metrics, log } = this.#deps;
    if (this.#mayLog('foreign')) {
      if (!this.#mayAlert('foreign')) log.warn({ bytes }, 'webhook refused: wrong signature');
      else {
        metrics.countAlert('signature_refused');
        log.error(
          { bytes },
          'webhook refused: its signature is not of our API token. If the service sent it, one of us has another token',
        );
      }
    }
    return this.#refuse('signature_refused');
  }

  #refuse(result: 'unsigned' | 'signature_refused'): PaymentsError {
    this.#deps.metrics.countDelivery(result);
    return new PaymentsError('signature_invalid', SIGNATURE_REQUIRED);
  }
}

function toAnswer(status: number, body: object, headers = {}): WebhookAnswer {
  return {
    status,
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  };
}
