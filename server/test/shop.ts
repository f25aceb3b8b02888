import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import express, { type Express, type Request } from 'express';

import { type Config, parseConfig } from '../src/cli/settings.ts';
import { createPayments, type Payments } from '../src/create-payments.ts';
import type { Database } from '../src/database/database.ts';
import { envelope } from '../src/errors.ts';
import {
  errorHandler,
  logRequests,
  paymentRoutes,
  readJson,
  webhookRoute,
} from '../src/express/index.ts';
import { buildLog } from '../src/observe/log.ts';
import type { PaymentsOptions } from '../src/options.ts';
import { type TestHooks, testHooks } from '../src/support/test-hooks.ts';
import { makeDatabaseUrl, readRows } from '../src/testing/databases.ts';
import { signedWebhook, TOKEN } from '../src/testing/upstream.ts';
import { PATIENT_DATABASE } from './patience.ts';

const PRICE = 92.5;

export const ONE_HONEY = {
  items: [{ sku: 'honey-500', quantity: 1 }],
  customer: { email: 'mary@example.com' },
};

export interface Cart {
  customer: { email: string };
  lines: { sku: string; name: string; quantity: number; price: string }[];
}

interface ShopResponse {
  status: number;
  headers: Headers;
  text: string;
  json: any;
}

/** A customer of a test shop: its cookie is the name of the owner. */
export class TestBrowser {
  readonly #url: string;
  cookie = `owner=${randomUUID()}`;

  constructor(url: string) {
    this.#url = url;
  }

  get(path: string): Promise<ShopResponse> {
    return this.#send('GET', path);
  }

  post(path: string, body?: unknown, headers: Record<string, string> = {}): Promise<ShopResponse> {
    return this.#send('POST', path, body, headers);
  }

  async order(): Promise<string> {
    return (await this.post('/api/orders', ONE_HONEY)).json.data.reference;
  }

  verify(reference: string): Promise<ShopResponse> {
    return this.post(`/api/payments/${reference}/verify`);
  }

  async #send(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<ShopResponse> {
    const { cookie } = this;
    const response = await fetch(this.#url + path, {
      method,
      headers: {
        cookie,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json');
    const { status, headers: received } = response;
    return { status, headers: received, text, json: isJson ? JSON.parse(text) : undefined };
  }
}

export interface TestShop {
  url: string;
  config: Config;
  lines: string[];
  browser(): TestBrowser;
  rows<Row = Record<string, unknown>>(statement: string, ...parameters: unknown[]): Promise<Row[]>;
  stateOf(reference: string): Promise<string | undefined>;
  close(): Promise<void>;
}

/**
 * Starts a shop that has no code but what this package's tests need; the template is tested in
 * e2e/shop-http. Uses and keeps the database of `DATABASE_URL` if that is set.
 */
export async function startTestShop(
  apiUrl: string,
  { hooks, ...parts }: Partial<PaymentsOptions<Cart>> & { hooks?: Partial<TestHooks> } = {},
  environment: Record<string, string> = {},
  kind: Database['kind'] = 'sqlite',
): Promise<TestShop> {
  const database = environment.DATABASE_URL ? undefined : await makeDatabaseUrl(kind);
  const config = parseConfig({
    ...(database && { DATABASE_URL: database.url }),
    SERVICE_PAY_API_URL: apiUrl,
    SERVICE_PAY_SCRIPT_URL: `${apiUrl}/js/v1/inline.js`,
    SERVICE_PAY_API_TOKEN: TOKEN,
    ...environment,
  });
  const lines: string[] = [];
  const log = buildLog(
    { ...config, logLevel: 'debug' },
    { write: (line) => void lines.push(line) },
  );
  const payments = await createPayments<Cart>({
    ...config,
    publicKey: 'pub_sandbox_demo',
    database: config.databaseUrl,
    fulfil: async () => {},
    log,
    ...testHooks({ ...PATIENT_DATABASE, ...hooks }),
    ...parts,
  });
  const server = buildApp(payments).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const rows = <Row>(statement: string, ...parameters: unknown[]) =>
    readRows<Row>(config.databaseUrl, statement, parameters);
  return {
    url,
    config,
    lines,
    rows,
    browser: () => new TestBrowser(url),
    async stateOf(reference) {
      const statement = 'select state from service_pay_payments where reference = ?';
      return (await rows<{ state: string }>(statement, reference))[0]?.state;
    },
    async close() {
      await payments.drain();
      server.closeAllConnections();
      server.close();
      await payments.close();
      await database?.drop();
    },
  };
}

export async function postWebhook(
  { url }: { url: string },
  reference: string,
  event = 'collection.successful',
): Promise<number> {
  const { body, headers } = signedWebhook(event, { reference });
  return (await new TestBrowser(url).post('/webhooks/service-pay', body, headers)).status;
}

function buildApp(payments: Payments<Cart>): Express {
  const findOwner = (req: Request) => /owner=([^;]+)/.exec(req.headers.cookie ?? '')?.[1];
  const app = express();
  app.use(logRequests(payments));
  app.use(webhookRoute(payments));
  app.get('/metrics', async (_req, res) => {
    const { type, body } = await payments.metrics();
    res.set('Content-Type', type).send(body);
  });
  app.get('/readyz', async (_req, res) => void res.json(envelope(await payments.health())));
  app.post('/api/orders', readJson, async (req, res) => {
    const { customer, items } = req.body as typeof ONE_HONEY;
    const price = PRICE.toFixed(2);
    const payment = await payments.create({
      amount: items.reduce((sum, { quantity }) => sum + quantity * PRICE, 0).toFixed(2),
      currency: 'ZMW',
      owner: findOwner(req)!,
      data: {
        customer,
        lines: items.map(({ sku, quantity }) => ({ sku, name: 'Honey', quantity, price })),
      },
      idempotencyKey: req.headers['idempotency-key'] as string | undefined,
      request: req.body,
    });
    res.status(201).json(envelope({ reference: payment.reference }));
  });
  app.use(
    paymentRoutes(payments, {
      findOwner,
      checkoutOptions: (payment) =>
        payments.checkoutOptions(payment, { email: payment.data.customer.email }),
      limit: (_req, _res, next) => next(),
      limitRetries: (_req, _res, next) => next(),
      publicUrl: 'http://localhost',
    }),
  );
  app.use(errorHandler);
  return app;
}
