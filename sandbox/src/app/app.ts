import type { RequestListener } from 'node:http';
import express, { type ErrorRequestHandler, type Request, type Response } from 'express';
import type { Logger } from 'pino';
import type { Faults } from '../faults/faults.ts';
import type { Scenarios } from '../faults/scenarios.ts';
import { ApiError } from '../http/api-error.ts';
import { type Access, checkHost, guardControls, rejectForeignPages } from '../http/guard.ts';
import { apiHeaders, baseHeaders, fileHeaders } from '../http/headers.ts';
import { CHALLENGES_PATH, CONTROL_PATH } from '../http/paths.ts';
import { recordRequests } from '../http/request-history.ts';
import { buildErrorHandler, envelope, respondNotFound } from '../http/responses.ts';
import type { EventStreams } from '../http/sse.ts';
import type { Merchants } from '../payments/merchants.ts';
import type { Payments } from '../payments/payments.ts';
import type { CollectionStore } from '../payments/store.ts';
import { buildCheckoutApi } from '../routes/checkout.ts';
import { buildControlApi } from '../routes/control.ts';
import { buildInspectionApi } from '../routes/inspection.ts';
import { buildMerchantApi } from '../routes/merchant.ts';
import { buildOpenApiRoute } from '../routes/openapi/route.ts';
import { buildPages } from '../routes/pages/pages.ts';
import { buildWidgetFiles } from '../routes/pages/widget-files.ts';
import type { History } from '../storage/history.ts';
import type { Clock } from '../time/clock.ts';
import { realTimeMs } from '../time/real-time.ts';
import type { WebhookSender } from '../webhooks/sender.ts';

/** What a running sandbox consists of. Each API takes from it what it needs. */
interface Service {
  access: Access;
  clock: Clock;
  events: EventStreams;
  faults: Faults;
  history: History;
  log: Logger;
  merchants: Merchants;
  payments: Payments;
  scenarios: Scenarios;
  store: CollectionStore;
  webhookHosts: ReadonlySet<string>;
  webhooks: WebhookSender;
  widgetDist: string;
}

export function buildApp(service: Service): RequestListener {
  const { access, faults, history, log } = service;
  const app = express();
  const handleError = buildErrorHandler(log);
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('case sensitive routing', true);
  app.set('query parser', 'simple');
  app.use(logRequests(log), baseHeaders);
  app.get('/healthz', (_req, res) => void res.json(envelope({}, 'alive')));
  app.use('/js', fileHeaders({ crossOrigin: true }));
  app.use(checkHost(access), rejectForeignPages);
  app.use(buildWidgetFiles(service));
  app.use('/js', respondNotFound); // before the headers of the API, which exclude other origins
  app.use(buildPages(service));
  app.use(apiHeaders, buildOpenApiRoute());
  app.use(
    '/access/v2',
    recordRequests(history),
    faults.inject('merchantApi'),
    buildMerchantApi(service),
  );
  app.use(
    ['/checkout/v1/sessions', CHALLENGES_PATH],
    recordRequests(history),
    faults.inject('checkoutApi'),
  );
  app.use(buildCheckoutApi(service));
  app.use(
    CONTROL_PATH,
    guardControls(access),
    buildInspectionApi(service),
    buildControlApi(service),
  );
  app.use(respondNotFound);
  app.use(handleError);
  return respondToPathless(app, handleError);
}

/**
 * Responds to a target without a readable path, which Node would print and Express would report in
 * HTML.
 */
function respondToPathless(
  app: express.Express,
  handleError: ErrorRequestHandler,
): RequestListener {
  return (req, res) => {
    if (!req.url?.startsWith('/') && !URL.canParse(req.url ?? '')) req.url = '';
    app(req as Request, res as Response, () => {
      const pathless = new ApiError('not_found', 'This request has no path.');
      if (res.headersSent) res.destroy();
      else
        baseHeaders(req as Request, res as Response, () =>
          handleError(pathless, req as Request, res as Response, () => undefined),
        );
    });
  };
}

/** Logs each request without its path and body, which hold secrets. */
function logRequests(log: Logger): express.RequestHandler {
  return (req, res, next) => {
    const startedAt = realTimeMs();
    res.once('finish', () => {
      const area = /^\/[a-z_]*/i.exec(req.path)?.[0];
      log.debug(
        {
          method: req.method,
          area,
          status: res.statusCode,
          ms: Math.round(realTimeMs() - startedAt),
        },
        'request completed',
      );
    });
    next();
  };
}
