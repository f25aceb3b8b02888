import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createPayments, envelope, type Payments, type PaymentsOptions } from '@service-pay/server';
import { errorHandler, paymentRoutes, webhookRoute } from '@service-pay/server/express';
import { buildFetchHandler, errorResponse, toNodeListener } from '@service-pay/server/fetch';
import { buildLog } from '@service-pay/server/log';
import { makeDatabaseUrl, TOKEN } from '@service-pay/server/testing';
import express from 'express';
import { PATIENT_PAYMENTS } from '../../lab/patience.ts';

const ORDER = { amount: '92.50', currency: 'ZMW', owner: 'ann', data: {} };

/** Names no owner, or breaks, as a session store does that is away. */
function findOwner(header: string | null | undefined): string | undefined {
  if (header === 'broken') throw new Error('The session store is away.');
  return header ?? 'ann';
}

const checkoutOptions =
  (payments: Payments) => (payment: Parameters<Payments['checkoutOptions']>[0]) =>
    payments.checkoutOptions(payment, { email: 'ann@example.com' });

/** Shops without the template, each as short as the documents show it. */
export const OWN_SHOPS: Record<'Express' | 'fetch', (payments: Payments) => RequestListener> = {
  Express: (payments) =>
    express()
      .use(webhookRoute(payments))
      .use(
        paymentRoutes(payments, {
          findOwner: (req) => findOwner(req.get('x-owner')),
          checkoutOptions: checkoutOptions(payments),
        }),
      )
      .post('/buy', async (_req, res) => {
        res.status(201).json(envelope(await payments.create(ORDER)));
      })
      .get('/metrics', async (_req, res) => {
        const { type, body } = await payments.metrics();
        res.type(type).send(body);
      })
      .use(errorHandler),
  fetch: (payments) => {
    const handle = buildFetchHandler(payments, {
      findOwner: ({ headers }) => findOwner(headers.get('x-owner')),
      checkoutOptions: checkoutOptions(payments),
    });
    return toNodeListener(async (request, host) => {
      const { pathname } = new URL(request.url);
      if (pathname === '/buy')
        return payments
          .create(ORDER)
          .then((payment) => Response.json(envelope(payment), { status: 201 }), errorResponse);
      if (pathname !== '/metrics') return handle(request, host);
      const { type, body } = await payments.metrics();
      return new Response(body, { headers: { 'content-type': type } });
    });
  },
};

export interface OwnShop {
  payments: Payments;
  databaseUrl: string;
  lines: string[];
  call(method: string, path: string, headers?: object, body?: string): Promise<Response>;
  close(): Promise<void>;
}

export async function startOwnShop(
  host: keyof typeof OWN_SHOPS,
  apiUrl: string,
  options: Partial<PaymentsOptions<unknown>> = {},
): Promise<OwnShop> {
  const database = await makeDatabaseUrl('sqlite');
  const lines: string[] = [];
  const log = buildLog({ logLevel: 'info' }, { write: (line) => void lines.push(line) });
  const payments = await createPayments<unknown>({
    apiUrl,
    apiToken: TOKEN,
    publicKey: 'pub_test',
    database: database.url,
    fulfil: async () => {},
    log,
    ...PATIENT_PAYMENTS,
    ...options,
  });
  const server: Server = createServer(OWN_SHOPS[host](payments)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    payments,
    databaseUrl: database.url,
    lines,
    call: (method, path, headers = {}, body = undefined) =>
      fetch(url + path, { method, headers: { ...headers }, ...(body !== undefined && { body }) }),
    async close() {
      server.close().closeAllConnections();
      await payments.close();
      await database.drop();
    },
  };
}
