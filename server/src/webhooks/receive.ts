import { createHash } from 'node:crypto';
import { SIGNATURE_HEADER, SIGNATURE_PATTERN } from '@service-pay/contract/webhook';
import express, { type RequestHandler, Router } from 'express';
import PQueue from 'p-queue';

import { ApiError, answerError, envelope } from '../express/errors.ts';
import type { Log } from '../observe/log.ts';
import type { Metrics } from '../observe/metrics.ts';
import type { ConfirmQueue } from '../payments/confirm-queue.ts';
import { FIRST_PAUSE_MS } from '../payments/reconciler.ts';
import type { ShopStore } from '../payments/store.ts';
import { buildThrottle, type Clock } from '../support/clock.ts';
import { type Failpoint, noFailpoint } from '../support/failpoint.ts';
import { LARGEST_WEBHOOK, readWebhookEvent, type WebhookEvent } from './event.ts';
import { isSignatureOf } from './signature.ts';

const LOG_EVERY_MS = 1_000;
const ALERT_EVERY_MS = 60_000;

/**
 * Webhooks refused in one turn of the event loop: a customer's request takes about ten turns, so it
 * never waits for a crowd of strangers (T91).
 */
const REFUSALS_PER_TURN = 2;

/** Beyond these none waits: each that waits takes memory. */
const MOST_REFUSALS_WAITING = 1_000;

export interface WebhookRouteDeps {
  store: ShopStore;
  confirms: ConfirmQueue;
  metrics: Metrics;
  /**
   * Tokens a signature may be made with: the one in use, and the one before while it is renewed
   * (D41).
   */
  tokens: readonly string[];
  clock: Clock;
  log: Log;
  failpoint?: Failpoint;
}

/**
 * `POST /webhooks/service-pay`: checks the signature over the bytes as they came, stores the
 * delivery, answers 200, and then confirms (specification 6, D54). Fails with `signature_invalid`
 * before anything is parsed or written (T81). Mount it before anything that reads bodies.
 */
export function buildWebhookRoute({
  store,
  confirms,
  metrics,
  tokens,
  clock,
  log,
  failpoint = noFailpoint,
}: WebhookRouteDeps): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const mayLog = buildThrottle(clock, LOG_EVERY_MS);
  const mayAlert = buildThrottle(clock, ALERT_EVERY_MS);
  const refusals = new PQueue({ concurrency: REFUSALS_PER_TURN });
  const rawBody = express.raw({ type: () => true, inflate: false, limit: LARGEST_WEBHOOK });

  /**
   * Made once: strangers may send thousands a second, and a trace of where it was thrown is most of
   * what one would cost.
   */
  const unsigned = new ApiError(
    'signature_invalid',
    `${SIGNATURE_HEADER} must be the signature of the raw body.`,
  );

  /** What is no signature at all is refused before its body is read (T91). */
  const signedOnly: RequestHandler = async (req, res, next) => {
    const signature = req.headers[SIGNATURE_HEADER.toLowerCase()];
    if (typeof signature !== 'string' || !SIGNATURE_PATTERN.test(signature)) {
      if (mayLog('unsigned')) log.warn('webhook refused: it is not signed');
      throw await refusal('unsigned');
    }
    res.locals.signature = signature;
    next();
  };

  router.post('/webhooks/service-pay', signedOnly, rawBody, async (req, res) => {
    const body: Buffer = Buffer.isBuffer(req.body) ? req.body : Buffer.alloc(0);
    if (!isSignatureOf(body, res.locals.signature, tokens))
      throw await foreignSignature(body.length);
    const { event, reference } = readEvent(body);
    const now = clock.now();
    const id = createHash('sha256').update(body).digest('hex');
    try {
      const delivery = { id, event, reference, body: body.toString('utf8'), received_at: now };
      metrics.countDelivery(
        (await store.storeDelivery(delivery, now + FIRST_PAUSE_MS)) ? 'stored' : 'duplicate',
      );
    } catch (error) {
      metrics.countDelivery('not_stored');
      throw error;
    }
    await failpoint('before-acknowledge');
    res.json(envelope({}, 'stored'));
    if (reference) confirms.add(reference);
  });
  // an error on its way past all other routes costs as much as the rest of a refusal
  router.use(answerError);

  return router;

  /**
   * Either a stranger, or the service with a token that is not ours: then every webhook is lost,
   * and somebody must act (T94).
   */
  function foreignSignature(bytes: number): Promise<ApiError> {
    if (mayLog('foreign')) {
      if (!mayAlert('foreign')) log.warn({ bytes }, 'webhook refused: its signature does not hold');
      else {
        metrics.countAlert('signature_refused');
        log.error(
          { bytes },
          'webhook refused: its signature is not of our API token. If the service sent it, one of us has another token',
        );
      }
    }
    return refusal('signature_refused');
  }

  async function refusal(result: 'unsigned' | 'signature_refused'): Promise<ApiError> {
    metrics.countDelivery(result);
    if (refusals.size < MOST_REFUSALS_WAITING) await refusals.add(nextTurn);
    return unsigned;
  }

  function readEvent(body: Buffer): WebhookEvent {
    const event = readWebhookEvent(body);
    if (event) return event;
    metrics.countDelivery('unreadable');
    throw new ApiError('invalid_request', 'The body must be a JSON event with a member "event".');
  }
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
