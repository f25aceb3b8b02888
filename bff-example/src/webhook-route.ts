import { createHash } from 'node:crypto';
import { referenceSchema } from '@service-pay/contract/payment-request-schema';
import { SIGNATURE_HEADER, SIGNATURE_PATTERN } from '@service-pay/contract/webhook';
import express, { type RequestHandler, Router } from 'express';
import * as v from 'valibot';

import { ApiError, envelope } from './api-error.ts';
import type { BackgroundConfirms } from './background-confirms.ts';
import { buildThrottle, type Clock } from './clock.ts';
import { type Failpoint, noFailpoint } from './failpoint.ts';
import type { Log } from './log.ts';
import type { Metrics } from './metrics.ts';
import { FIRST_PAUSE_MS } from './reconciler.ts';
import type { ShopStore } from './shop-store.ts';
import { isSignatureOf } from './webhook-signature.ts';

const LARGEST_BODY = 64 * 1024;
const LOG_EVERY_MS = 1_000;
const ALERT_EVERY_MS = 60_000;

/** Stands for the one character that PostgreSQL keeps in no text. */
const UNSTORABLE = '\ufffd';

/** An event as far as anything is done with it: which it is, and which payment to ask about. The rest may be a lie (T85). */
const eventSchema = v.object({
  event: v.pipe(v.string(), v.maxLength(200)),
  data: v.optional(v.unknown()),
});
const referredSchema = v.object({ reference: referenceSchema });

export interface WebhookRouteDeps {
  store: ShopStore;
  confirms: BackgroundConfirms;
  metrics: Metrics;
  /** Tokens a signature may be made with: the one in use, and the one before while it is renewed (D41). */
  tokens: readonly string[];
  clock: Clock;
  log: Log;
  failpoint?: Failpoint;
}

/**
 * `POST /webhooks/service-pay`: checks the signature over the bytes as they came, stores the delivery, answers 200, and then
 * confirms (specification 6, D54). Fails with `signature_invalid` before anything is parsed or written (T81). Mount it before
 * anything that reads bodies.
 */
export function buildWebhookRoute({ store, confirms, metrics, tokens, clock, log, failpoint = noFailpoint }: WebhookRouteDeps): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const mayLog = buildThrottle(clock, LOG_EVERY_MS);
  const mayAlert = buildThrottle(clock, ALERT_EVERY_MS);
  const rawBody = express.raw({ type: () => true, inflate: false, limit: LARGEST_BODY });

  /** What is no signature at all is refused before its body is read (T91). */
  const signedOnly: RequestHandler = (req, res, next) => {
    const signature = req.headers[SIGNATURE_HEADER.toLowerCase()];
    if (typeof signature !== 'string' || !SIGNATURE_PATTERN.test(signature)) {
      if (mayLog('unsigned')) log.warn('webhook refused: it is not signed');
      throw refusal();
    }
    res.locals.signature = signature;
    next();
  };

  router.post('/webhooks/service-pay', signedOnly, rawBody, async (req, res) => {
    const body: Buffer = Buffer.isBuffer(req.body) ? req.body : Buffer.alloc(0);
    if (!isSignatureOf(body, res.locals.signature, tokens)) throw foreignSignature(body.length);
    const { event, reference } = readEvent(body);
    const now = clock.now();
    const id = createHash('sha256').update(body).digest('hex');
    try {
      const delivery = { id, event, reference, body: body.toString('utf8'), received_at: now };
      metrics.countDelivery((await store.storeDelivery(delivery, now + FIRST_PAUSE_MS)) ? 'stored' : 'duplicate');
    } catch (error) {
      metrics.countDelivery('not_stored');
      throw error;
    }
    await failpoint('before-acknowledge');
    res.json(envelope({}, 'stored'));
    if (reference) confirms.add(reference);
  });

  return router;

  /** Either a stranger, or the service with a token that is not ours: then every webhook is lost, and somebody must act (T94). */
  function foreignSignature(bytes: number): ApiError {
    metrics.countAlert('signature_refused');
    if (mayLog('foreign')) {
      if (!mayAlert('foreign')) log.warn({ bytes }, 'webhook refused: its signature does not hold');
      else
        log.error({ bytes }, 'webhook refused: its signature is not of our API token. If the service sent it, one of us has another token');
    }
    return refusal();
  }

  function refusal(): ApiError {
    metrics.countDelivery('signature_refused');
    return new ApiError('signature_invalid', `${SIGNATURE_HEADER} must be the signature of the raw body.`);
  }

  function readEvent(body: Buffer): { event: string; reference: string | null } {
    try {
      const { event, data } = v.parse(eventSchema, JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)));
      return { event: event.replaceAll('\0', UNSTORABLE), reference: v.is(referredSchema, data) ? data.reference : null };
    } catch {
      metrics.countDelivery('unreadable');
      throw new ApiError('invalid_request', 'The body must be a JSON event with a member "event".');
    }
  }
}
