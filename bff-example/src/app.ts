import type { PaymentFeed } from '@service-pay/server/events/bus';
import type { EventStreams } from '@service-pay/server/events/server-sent-events';
import {
  ApiError,
  answerError,
  answerNotFound,
  envelope,
} from '@service-pay/server/express/errors';
import { limitBrowsers } from '@service-pay/server/express/rate-limits';
import { buildOwnPagesOnly, discardBody } from '@service-pay/server/express/request-guards';
import { buildRequestLines, KNOWN_METHODS } from '@service-pay/server/express/request-lines';
import { shareAnswer } from '@service-pay/server/express/shared-answer';
import type { Log } from '@service-pay/server/observe/log';
import type { Metrics } from '@service-pay/server/observe/metrics';
import type { Confirm } from '@service-pay/server/payments/confirm';
import type { ConfirmQueue } from '@service-pay/server/payments/confirm-queue';
import type { ServiceAnswers } from '@service-pay/server/payments/service-answers';
import type { ShopStore } from '@service-pay/server/payments/store';
import { buildInTime } from '@service-pay/server/payments/verify-deadline';
import type { ServiceClient } from '@service-pay/server/service/client';
import type { Clock } from '@service-pay/server/support/clock';
import { type Failpoint, noFailpoint } from '@service-pay/server/support/failpoint';
import { buildWebhookRoute } from '@service-pay/server/webhooks/receive';
import express, { type Express, type RequestHandler } from 'express';
import { buildBrowserCookie } from './browser-cookie.ts';
import type { CatalogueItem } from './catalogue.ts';
import type { Config } from './config.ts';
import { buildOrderRoutes } from './order-routes.ts';
import { buildHeaders, buildNotFound, buildPages } from './pages.ts';
import { buildPaymentRoutes } from './payment-routes.ts';

/**
 * How long one look at the database, or one reading of the figures, answers everyone who asks
 * (T119, T122).
 */
const SHARED_MS = 1_000;

export interface AppDeps {
  config: Config;
  /**
   * Where browsers reach the shop: addresses and the cookie are made from this, never from a
   * request's `Host`.
   */
  publicUrl: string;
  store: ShopStore;
  service: Pick<ServiceClient, 'circuit'>;
  confirm: Confirm;
  confirms: ConfirmQueue;
  answers: ServiceAnswers;
  feed: PaymentFeed;
  metrics: Metrics;
  clock: Clock;
  log: Log;
  /** Everything that can be ordered, by sku. */
  catalogue: ReadonlyMap<string, CatalogueItem>;
  failpoint?: Failpoint;
  /** Whether the shop is about to end: `/readyz` then sends a balancer elsewhere. */
  isStopping?: () => boolean;
}

/**
 * The shop's routes, headers and error handler. `streams` must be ended before the server that
 * serves it can close.
 */
export function buildApp(deps: AppDeps): { app: Express; streams: EventStreams } {
  const {
    config,
    publicUrl,
    store,
    service,
    confirm,
    confirms,
    answers,
    feed,
    metrics,
    clock,
    log,
    catalogue,
  } = deps;
  const { failpoint = noFailpoint, isStopping = () => false } = deps;
  const cookie = buildBrowserCookie(publicUrl, config.sessionSecret);
  const limit = limitBrowsers(cookie.find);
  const inTime = buildInTime(clock);
  const { router: paymentRoutes, streams } = buildPaymentRoutes({
    store,
    confirm,
    inTime,
    answers,
    feed,
    cookie,
    limit,
    clock,
    log,
  });

  const ping = shareAnswer(SHARED_MS, () => store.ping());
  const figures = shareAnswer(SHARED_MS, () => metrics.text());

  const app = express();
  app.disable('x-powered-by');
  app.disable('etag'); // no answer is kept but files, which bring their own
  app.enable('case sensitive routing');
  app.enable('strict routing');
  app.set('query parser', 'simple');
  app.set('trust proxy', config.trustedProxies);

  app.use(buildRequestLines({ metrics, clock, log }));
  app.use(
    buildWebhookRoute({
      store,
      confirms,
      metrics,
      tokens: [config.apiToken, config.previousApiToken].filter((token) => token !== undefined),
      clock,
      log,
      failpoint,
    }),
  );
  app.use(buildHeaders({ scriptUrl: config.scriptUrl, publicUrl }));
  app.use(knownMethodsOnly);
  app.use(
    buildPages({ store, cookie, limit, scriptUrl: config.scriptUrl, publicKey: config.publicKey }),
  );
  app.get('/healthz', (_req, res) => void res.json(envelope({}, 'alive')));
  app.get('/readyz', async (_req, res) => {
    if (isStopping()) throw new ApiError('stopping', 'The shop is stopping.');
    await ping().catch((cause: unknown) => {
      throw new ApiError('unavailable', 'The database does not answer, or takes no writes.', {
        cause,
      });
    });
    res.json(
      envelope(
        { database: 'reachable', service: metrics.lastCall, circuit: service.circuit },
        'ready',
      ),
    );
  });
  app.get('/metrics', async (_req, res) => {
    const { type, body } = await figures();
    res.set('Content-Type', type).send(body);
  });
  app.use('/api', (_req, res, next) => {
    res.set('Cache-Control', 'no-store');
    next();
  });
  app.use('/api', buildOwnPagesOnly(publicUrl));
  app.use('/api/payments', discardBody);
  app.use(
    buildOrderRoutes({
      store,
      confirm,
      inTime,
      answers,
      feed,
      catalogue,
      cookie,
      limit,
      publicKey: config.publicKey,
      clock,
    }),
  );
  app.use(paymentRoutes);
  app.use(buildNotFound());
  app.use(answerError);
  return { app, streams };
}

/**
 * Express would answer OPTIONS and others by itself; a wrong method is `404·11` here like an
 * unknown path (T80).
 */
const knownMethodsOnly: RequestHandler = (req, res, next) => {
  if (KNOWN_METHODS.includes(req.method)) next();
  else answerNotFound(req, res, next);
};
