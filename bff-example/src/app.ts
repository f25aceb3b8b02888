import { envelope, type Payments, PaymentsError } from '@service-pay/server';
import {
  buildOwnPagesOnly,
  errorHandler,
  limitBrowsers,
  limitOrders,
  logRequests,
  notFoundHandler,
  paymentRoutes,
  webhookRoute,
} from '@service-pay/server/express';
import express, { type Express, type RequestHandler } from 'express';

import { buildBrowserCookie } from './browser-cookie.ts';
import type { Config } from './config.ts';
import { buildOrderRoutes, type Cart, checkoutOptions, type ReadCatalogue } from './orders.ts';
import { buildHeaders, buildNotFound, buildPages } from './pages.ts';

const METHODS = ['GET', 'HEAD', 'POST'];

export interface AppDeps {
  config: Config;
  /** The shop's address in browsers. A request's `Host` is never used. */
  publicUrl: string;
  payments: Payments<Cart>;
  readCatalogue: ReadCatalogue;
  isStopping?: () => boolean;
}

export function buildApp(deps: AppDeps): Express {
  const { config, publicUrl, payments, readCatalogue, isStopping = () => false } = deps;
  const cookie = buildBrowserCookie(publicUrl, config.sessionSecret);
  const limit = limitBrowsers(cookie.find);
  const limitMaking = limitOrders();

  const app = express();
  app.disable('x-powered-by');
  app.disable('etag'); // only files are cached, which have their own
  app.enable('case sensitive routing');
  app.enable('strict routing');
  app.set('query parser', 'simple');
  app.set('trust proxy', config.trustedProxies);

  app.use(logRequests(payments));
  app.use(webhookRoute(payments));
  app.use(buildHeaders({ ...config, publicUrl }));
  app.use('/api', buildOwnPagesOnly(publicUrl, config.allowedOrigins));
  app.use(knownMethodsOnly);
  app.use(
    buildPages({
      payments,
      cookie,
      limit,
      scriptUrl: config.scriptUrl,
      publicKey: config.publicKey,
    }),
  );
  app.get('/healthz', (_req, res) => void res.json(envelope({}, 'alive')));
  app.get('/readyz', async (_req, res) => {
    if (isStopping()) throw new PaymentsError('stopping', 'The shop is stopping.');
    res.json(envelope(await payments.health(), 'ready'));
  });
  app.get('/metrics', async (_req, res) => {
    const { type, body } = await payments.metrics();
    res.set('Content-Type', type).send(body);
  });
  app.use('/api', (_req, res, next) => {
    res.set('Cache-Control', 'no-store');
    next();
  });
  app.use(
    paymentRoutes(payments, {
      findOwner: cookie.find,
      checkoutOptions: (payment) => checkoutOptions(payments, payment),
      limit,
      limitRetries: limitMaking,
      publicUrl,
      allowedOrigins: config.allowedOrigins,
    }),
  );
  app.use(buildOrderRoutes({ payments, readCatalogue, cookie, limit, limitMaking }));

  // YOURS: routes of your own, with the shop's headers, errors, log and cookie. Start their paths
  // with `/api/`: a POST to any other path would also be taken from pages of other sites. Pass
  // `limit` to each. Methods are GET and POST. If you have many, put them into a file and mount it
  // here. For example, with `readJson` and `parseBody` of @service-pay/server/express, and valibot
  // as `v`:
  //
  // app.get('/api/my-cart', limit, async (req, res) => {
  //   const owner = cookie.find(req);
  //   const open = owner && (await payments.findOpen({ owner }));
  //   res.json(envelope(open ? open.data.lines : []));
  // });
  // app.post('/api/wishes', limit, readJson, (req, res) => {
  //   const { wish } = parseBody(v.object({ wish: v.string() }), req.body);
  //   res.status(201).json(envelope({ wish }));
  // });

  app.use(buildNotFound());
  app.use(errorHandler);
  return app;
}

const knownMethodsOnly: RequestHandler = (req, res, next) => {
  if (METHODS.includes(req.method)) next();
  else notFoundHandler(req, res, next);
};
