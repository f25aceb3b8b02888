import { randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import express, { type Express } from 'express';
import { type Logger, pino } from 'pino';

import { ApiError, answerNotFound, buildErrorHandler, errorBody } from './api-answers.ts';
import { buildCheckoutApi } from './checkout-api.ts';
import { Clock, realTimeMs } from './clock.ts';
import { CollectionStore } from './collection-store.ts';
import { buildControl, type Control } from './control.ts';
import { buildControlApi, isAllowedWebhookUrl } from './control-api.ts';
import { Faults } from './faults.ts';
import { type Access, checkHost, guardControls, hostsFor, isLoopback, refuseForeignPages } from './guard.ts';
import { buildMerchantApi } from './merchant-api.ts';
import { Merchants } from './merchants.ts';
import { buildPages } from './pages.ts';
import { CHALLENGES_PATH, CONTROL_PATH } from './paths.ts';
import { PaymentFlow } from './payment-flow.ts';
import { apiHeaders, baseHeaders } from './response-headers.ts';
import { WebhookSender } from './webhook-sender.ts';
import { buildWidgetFiles, findWidgetDist } from './widget-files.ts';

export type { Control } from './control.ts';

/** How to start a sandbox. Everything has a default. */
export interface SandboxOptions {
  /** Where it listens; `0`, the default, takes a free port. */
  port?: number;
  /** Opens it to other machines under this name or address; `0.0.0.0` answers to every address of the machine. Without it only this machine reaches it. */
  host?: string;
  /** What opens the controls once `host` is given: made where missing. */
  token?: string;
  /** Where the demo merchant's webhooks go. Its host may then be sent webhooks by any merchant. */
  webhookUrl?: string;
  /** The folder the widget's build wrote; the installed widget's by default. */
  widgetDist?: string;
  /** Where it logs; problems only, to stderr, by default. */
  log?: Logger;
}

/** A sandbox that runs. */
export interface Sandbox {
  /** Its origin. */
  readonly url: string;
  /** The control API, typed. */
  readonly control: Control;
  /** The token of the control API; null where only this machine reaches it. */
  readonly token: string | null;
  /** Ends it: open connections are cut, nothing due happens any more. */
  close(): Promise<void>;
}

const LOOPBACK_ADDRESSES = ['127.0.0.1', '::1'];
const TRIES_FOR_A_FREE_PORT = 10;

/** Starts the payment service on this machine: script, checkout page, merchant API, webhooks, phones and clock, on one origin. Rejects with an error whose message says what to change. */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { port = 0, host, webhookUrl, widgetDist = findWidgetDist() } = options;
  const log = options.log ?? pino({ level: 'warn' }, pino.destination({ dest: 2, sync: true }));
  const hosts = hostsFor(host);
  const isOpen = host !== undefined && !isLoopback(host);
  const access: Access = { hosts, token: isOpen ? (options.token ?? randomBytes(24).toString('base64url')) : null };
  const webhookHost = webhookUrl === undefined ? undefined : URL.parse(webhookUrl)?.hostname.replace(/^\[|\]$/g, '');
  const webhookHosts = new Set([...(isOpen ? hosts : []), ...(webhookHost ? [webhookHost] : [])]);
  if (webhookUrl !== undefined && !isAllowedWebhookUrl(webhookUrl, webhookHosts)) {
    throw new Error('The webhook URL must be http(s) and hold no user name or password.');
  }

  const clock = new Clock();
  const store = new CollectionStore();
  const merchants = new Merchants(webhookUrl ?? null);
  const faults = new Faults();
  const webhooks = new WebhookSender({ clock, merchants, isDropped: () => faults.isWebhookDropped() });
  const flow = new PaymentFlow({ clock, store, merchants, notify: (...event) => webhooks.notify(...event) });

  const app = buildApp();
  const servers = await listen(app, port, isOpen ? ['::'] : LOOPBACK_ADDRESSES);
  const { port: boundPort } = servers[0]!.address() as AddressInfo;
  const name = isOpen && host !== '0.0.0.0' && host !== '::' ? host : 'localhost';
  const url = `http://${name.includes(':') ? `[${name}]` : name}:${boundPort}`;

  return {
    url,
    token: access.token,
    control: buildControl({ url: `http://localhost:${boundPort}`, token: access.token }),
    async close() {
      clock.reset();
      await webhooks.close();
      await Promise.all(servers.map(closeServer));
    },
  };

  function buildApp(): Express {
    const app = express();
    app.disable('x-powered-by');
    app.disable('etag');
    app.set('case sensitive routing', true);
    app.set('query parser', 'simple');
    app.use(logRequests(log), baseHeaders, checkHost(access), refuseForeignPages);
    app.use(buildWidgetFiles({ dist: widgetDist, merchants, faults }));
    app.use(buildPages({ flow, merchants, access }));
    app.use(apiHeaders);
    app.use('/access/v2', faults.inject('merchantApi'), buildMerchantApi({ store, merchants }));
    app.use(['/checkout/v1/sessions', CHALLENGES_PATH], faults.inject('checkoutApi'));
    app.use(buildCheckoutApi({ flow, store, merchants, clock }));
    app.use(CONTROL_PATH, guardControls(access), buildControlApi({ clock, store, merchants, flow, webhooks, faults, webhookHosts }));
    app.use(answerNotFound);
    app.use(buildErrorHandler(log));
    return app;
  }
}

/** Says that a request was answered: by which face, never with what. Addresses and bodies hold secrets. */
function logRequests(log: Logger): express.RequestHandler {
  return (req, res, next) => {
    const startedAt = realTimeMs();
    res.once('finish', () => {
      const face = /^\/[a-z_]*/i.exec(req.path)?.[0];
      log.debug({ method: req.method, face, status: res.statusCode, ms: Math.round(realTimeMs() - startedAt) }, 'request answered');
    });
    next();
  };
}

/** Listens on every address under one port, which `localhost` then reaches whichever way it resolves. */
async function listen(app: Express, port: number, addresses: readonly string[]): Promise<Server[]> {
  for (let tries = 1; ; tries++) {
    const servers: Server[] = [];
    try {
      let boundPort = port;
      for (const address of addresses) {
        const server = await listenOn(app, boundPort, address, servers.length > 0);
        if (!server) continue;
        servers.push(server);
        boundPort = (server.address() as AddressInfo).port;
      }
      return servers;
    } catch (error) {
      await Promise.all(servers.map(closeServer));
      const isTaken = (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
      if (isTaken && port === 0 && tries < TRIES_FOR_A_FREE_PORT) continue;
      if (isTaken)
        throw new Error(`Port ${port} is taken. Stop what listens there, or choose another port (0 takes a free one).`, { cause: error });
      throw new Error(`Cannot listen on port ${port}: ${(error as NodeJS.ErrnoException).code}.`, { cause: error });
    }
  }
}

function listenOn(app: Express, port: number, address: string, isOptional: boolean): Promise<Server | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer(
      { requireHostHeader: false, connectionsCheckingInterval: 1_000, headersTimeout: 10_000, requestTimeout: 30_000 },
      app,
    );
    server.on('clientError', answerMalformed);
    server.on('checkExpectation', app);
    server.once('error', (error: NodeJS.ErrnoException) => {
      const isAbsent = error.code === 'EADDRNOTAVAIL' || error.code === 'EAFNOSUPPORT';
      if (isAbsent && isOptional) resolve(undefined);
      else reject(error);
    });
    server.listen({ port, host: address }, () => resolve(server));
  });
}

/** What is no HTTP still gets the envelope. */
function answerMalformed(_error: Error, socket: import('node:stream').Duplex): void {
  if (!socket.writable) return void socket.destroy();
  const body = JSON.stringify(errorBody(new ApiError('invalid', 'The request is not well-formed HTTP.')));
  socket.end(
    `HTTP/1.1 400 Bad Request\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
