import { createHash } from 'node:crypto';
import { referenceSchema } from '@service-pay/contract/payment-request-schema';
import { SIGNATURE_HEADER } from '@service-pay/contract/webhook';
import express, { Router } from 'express';
import * as v from 'valibot';

import { ApiError, envelope } from './api-error.ts';
import type { BackgroundConfirms } from './background-confirms.ts';
import { buildThrottle, type Clock } from './clock.ts';
import { type Failpoint, noFailpoint } from './failpoint.ts';
import type { Log } from './log.ts';
import { FIRST_PAUSE_MS } from './reconciler.ts';
import type { ShopStore } from './shop-store.ts';
import { isSignatureOf } from './webhook-signature.ts';

const LARGEST_BODY = 64 * 1024;
const LOG_EVERY_MS = 1_000;

/** An event as far as anything is done with it: which it is, and which payment to ask about. The rest may be a lie (T85). */
const eventSchema = v.object({
  event: v.pipe(v.string(), v.maxLength(200)),
  data: v.optional(v.unknown()),
});
const referredSchema = v.object({ reference: referenceSchema });

export interface WebhookRouteDeps {
  store: ShopStore;
  confirms: BackgroundConfirms;
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
export function buildWebhookRoute({ store, confirms, tokens, clock, log, failpoint = noFailpoint }: WebhookRouteDeps): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const mayLog = buildThrottle(clock, LOG_EVERY_MS);
  const rawBody = express.raw({ type: () => true, inflate: false, limit: LARGEST_BODY });

  router.post('/webhooks/service-pay', rawBody, async (req, res) => {
    const body: Buffer = Buffer.isBuffer(req.body) ? req.body : Buffer.alloc(0);
    if (!isSignatureOf(body, req.headers[SIGNATURE_HEADER.toLowerCase()], tokens)) {
      if (mayLog('signature')) log.warn({ bytes: body.length }, 'webhook refused: its signature does not hold');
      throw new ApiError('signature_invalid', `${SIGNATURE_HEADER} must be the signature of the raw body.`);
    }
    const { event, reference } = readEvent(body);
    const now = clock.now();
    const id = createHash('sha256').update(body).digest('hex');
    await store.storeDelivery({ id, event, reference, body: body.toString('utf8'), received_at: now }, now + FIRST_PAUSE_MS);
    await failpoint('before-acknowledge');
    res.json(envelope({}, 'stored'));
    if (reference) confirms.add(reference);
  });

  return router;
}

function readEvent(body: Buffer): { event: string; reference: string | null } {
  try {
    const { event, data } = v.parse(eventSchema, JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)));
    return { event, reference: v.is(referredSchema, data) ? data.reference : null };
  } catch {
    throw new ApiError('invalid_request', 'The body must be a JSON event with a member "event".');
  }
}
