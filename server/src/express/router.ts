import { type Request, type RequestHandler, Router } from 'express';

import type { Payments, Whose } from '../create-payments.ts';
import { envelope } from '../errors.ts';
import type { Payment } from '../payments/payment.ts';
import { parseReference } from '../payments/reference.ts';
import { discardNodeBody, readNodeBody } from '../transport/node-body.ts';
import type { OwnPages } from '../transport/own-pages.ts';
import { limitBrowsers, limitOrders } from './rate-limits.ts';
import { discardBody } from './request-body.ts';
import { buildOwnPagesOnly } from './request-guards.ts';
import { limitStreams, sendEvents } from './server-sent-events.ts';

/** Serves `POST /webhooks/service-pay`. Mount it before anything that reads bodies. */
export function webhookRoute<Data>(payments: Payments<Data>): Router {
  const router = Router({ caseSensitive: true });
  router.post('/webhooks/service-pay', async (req, res) => {
    const rawBody = () => readNodeBody(req);
    const answer = await payments.receiveWebhook({ headers: req.headers, rawBody });
    res.locals.errorCode = answer.code;
    res.status(answer.status).set(answer.headers).send(answer.body);
    discardNodeBody(req);
  });
  return router;
}

export interface PaymentRoutesOptions<Data> extends OwnPages {
  /** Returns the owner that the request names in a cookie or a session, or undefined. */
  findOwner(req: Request): string | undefined;
  /** Returns the options for `getPaid`, the response of retry. */
  checkoutOptions(payment: Payment<Data>): object;
  /** Limits everything but retry: `limitBrowsers(findOwner)` by default. */
  limit?: RequestHandler;
  /** Limits retry, which creates payments: `limitOrders()` by default. */
  limitRetries?: RequestHandler;
}

/**
 * Serves verify, retry and the event stream of a payment, for the whole order that it belongs to,
 * and `GET /api/orders/open`: the options of the owner's newest open payment, or null. Event
 * streams end at `drain`, and keep the server open until then.
 */
export function paymentRoutes<Data>(
  payments: Payments<Data>,
  {
    findOwner,
    checkoutOptions,
    limit = limitBrowsers(findOwner),
    limitRetries = limitOrders(),
    publicUrl,
    allowedOrigins,
  }: PaymentRoutesOptions<Data>,
): Router {
  const router = Router({ caseSensitive: true });
  const ownPages = buildOwnPagesOnly(publicUrl, allowedOrigins);

  router.get('/api/orders/open', limit, async (req, res) => {
    const owner = findOwner(req);
    const open = owner === undefined ? undefined : await payments.findOpen({ owner });
    res.set('Cache-Control', 'no-store').json(envelope(open ? checkoutOptions(open) : null));
  });

  router.post('/api/payments/:reference/verify', ownPages, discardBody, limit, async (req, res) => {
    const { shown, message } = await payments.confirm(...named(req));
    res.json(envelope(shown, message));
  });

  router.post(
    '/api/payments/:reference/retry',
    ownPages,
    discardBody,
    limitRetries,
    async (req, res) => {
      const { payment, isNew } = await payments.retry(...named(req));
      res.status(isNew ? 201 : 200).json(envelope(checkoutOptions(payment)));
    },
  );

  router.get('/api/payments/:reference/events', limit, limitStreams(), async (req, res) => {
    const [reference, whose] = named(req);
    await sendEvents(req, res, (signal) => payments.events(reference, { ...whose, signal }));
  });

  return router;

  function named(req: Request): [reference: string, whose: Whose] {
    return [parseReference(req.params.reference), { owner: findOwner(req) }];
  }
}
