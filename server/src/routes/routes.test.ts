import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SHOP_CONTRACT, SHOP_ROUTES, type ShopRoute } from '@service-pay/contract/shop-api';
import express from 'express';
import * as v from 'valibot';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { buildTestLog } from '../../test/parts.ts';
import { PATIENT } from '../../test/patience.ts';
import { openPayments } from '../../test/payments.ts';
import { errorHandler, notFoundHandler, paymentRoutes, webhookRoute } from '../express/index.ts';
import { buildFetchHandler, toNodeListener } from '../fetch/index.ts';
import type { Payments } from '../index.ts';
import { makeDatabaseUrl, type TestDatabase } from '../testing/databases.ts';
import {
  collectionResponse,
  signatureOf,
  signedWebhook,
  startUpstream,
} from '../testing/upstream.ts';
import type { Owner } from './owner.ts';

const ORDER = { amount: '92.50', currency: 'ZMW', owner: 'ann', data: {} };
const APP = 'https://app.shop.example';

interface Options {
  findOwner(header: string | undefined): Owner | Promise<Owner>;
  publicUrl?: string;
  allowedOrigins?: string[];
}

const checkoutOptions = (payment: { reference: string; amount: string; currency: string }) => ({
  key: 'pub_test',
  email: 'ann@example.com',
  reference: payment.reference,
  amount: payment.amount,
  currency: payment.currency,
});

/** Starts the routes on each host, with an owner that the header `x-owner` names. */
const HOSTS = {
  Express: (payments: Payments, { findOwner, ...more }: Options) =>
    createServer(
      express()
        .use(webhookRoute(payments))
        .use(
          paymentRoutes(payments, {
            findOwner: (req) => findOwner(req.get('x-owner')),
            checkoutOptions,
            ...more,
          }),
        )
        .use(notFoundHandler)
        .use(errorHandler),
    ),
  fetch: (payments: Payments, { findOwner, ...more }: Options) =>
    createServer(
      toNodeListener(
        buildFetchHandler(payments, {
          findOwner: ({ headers }) => findOwner(headers.get('x-owner') ?? undefined),
          checkoutOptions,
          ...more,
        }),
      ),
    ),
};

describe.each(Object.keys(HOSTS) as (keyof typeof HOSTS)[])('the routes on %s', (host) => {
  let database: TestDatabase;
  let service: Awaited<ReturnType<typeof startUpstream>>;
  let payments: Payments;
  let servers: Server[];
  let status: string;
  let lines: string[];
  let url: string;

  const serve = async (options: Partial<Options> = {}) => {
    const server = HOSTS[host](payments, { findOwner: (owner) => owner, ...options });
    servers.push(server.listen(0, '127.0.0.1'));
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  };

  beforeEach(async () => {
    database = await makeDatabaseUrl('sqlite');
    status = 'pending';
    lines = [];
    servers = [];
    service = await startUpstream((req, res) => res.end(collectionResponse(req.url!, { status })));
    payments = await openPayments({
      apiUrl: service.url,
      database: database.url,
      log: buildTestLog(lines),
    });
    vi.spyOn(console, 'error').mockImplementation((...words) => void lines.push(words.join(' ')));
    await serve();
  });

  afterEach(async () => {
    vi.restoreAllMocks();
    for (const server of servers) server.close().closeAllConnections();
    await payments.close();
    await service.close();
    await database.drop();
  });

  async function call(
    method: string,
    path: string,
    { body, ...headers }: Record<string, string> = {},
  ) {
    const init = { method, headers: { 'x-owner': 'ann', ...headers }, ...(body && { body }) };
    const response = await fetch(url + path, init);
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json');
    return {
      status: response.status,
      headers: response.headers,
      text,
      json: isJson ? JSON.parse(text) : undefined,
    };
  }
  const verify = (reference: string, headers = {}) =>
    call('POST', `/api/payments/${reference}/verify`, headers);
  const deliver = (body: string, headers: object) =>
    call('POST', '/webhooks/service-pay', { body, ...(headers as Record<string, string>) });

  test('verify returns the state of the order, to its owner alone, and as the contract says', async () => {
    status = 'successful';
    const { reference } = await payments.create(ORDER);

    const own = await verify(reference);
    const foreign = await verify(reference, { 'x-owner': 'bob' });
    const unknown = await verify('none');

    expect(own.status).toBe(200);
    expect(own.json).toMatchObject({ status: true, message: 'The order is paid.' });
    expect(v.is(SHOP_CONTRACT.verify.data, own.json.data)).toBe(true);
    expect([foreign.status, foreign.text]).toEqual([404, unknown.text]);
    expect(own.headers.get('cache-control')).toBe('no-store');
  });

  test('open returns the newest open payment of its owner, or null', async () => {
    const { createdAt } = await payments.create(ORDER);
    await vi.waitFor(() => expect(Date.now()).toBeGreaterThan(createdAt), PATIENT);
    const { reference } = await payments.create(ORDER);

    const responses = await Promise.all(
      ['ann', 'bob', ''].map((owner) => call('GET', '/api/orders/open', { 'x-owner': owner })),
    );

    expect(responses.map(({ status, headers }) => [status, headers.get('cache-control')])).toEqual(
      Array(3).fill([200, 'no-store']),
    );
    expect(responses.map(({ json }) => json.data?.reference)).toEqual([
      reference,
      undefined,
      undefined,
    ]);
    for (const { json } of responses) expect(v.is(SHOP_CONTRACT.open.data, json.data)).toBe(true);
  });

  test('retry returns 200 with the open payment, and 201 with a new one after a failure', async () => {
    const { reference } = await payments.create(ORDER);
    const open = await call('POST', `/api/payments/${reference}/retry`);
    status = 'failed';
    const failed = await payments.create(ORDER);
    const again = await call('POST', `/api/payments/${failed.reference}/retry`);

    expect(again.status).toBe(201);
    expect(again.json.data.reference).not.toBe(failed.reference);
    expect([open.status, open.json]).toMatchObject([200, { data: { reference } }]);
    expect(v.is(SHOP_CONTRACT.retry.data, open.json.data)).toBe(true);
  });

  test('the event stream sends the state until the payment ends', async () => {
    status = 'successful';
    const { reference } = await payments.create(ORDER);

    const events = await call('GET', `/api/payments/${reference}/events`);

    expect(events.headers.get('content-type')).toMatch(/^text\/event-stream/);
    expect(events.headers.get('cache-control')).toBe('no-store, no-transform'); // T144
    const [, data] = /event: payment\ndata: (.*)\n\n$/.exec(events.text) ?? [];
    expect(v.is(SHOP_CONTRACT.events.data, JSON.parse(data!))).toBe(true);
  });

  test('a webhook is accepted over its raw bytes, and rejected unsigned or too large (T81, T89)', async () => {
    const { reference } = await payments.create(ORDER);
    const { body, headers } = signedWebhook('collection.successful', { reference });
    const largest = signedWebhook('collection.successful', {}).body.padEnd(64 * 1024);
    const signed = (bytes: string) => ({ 'x-servicepay-signature': signatureOf(bytes) });

    const responses = [
      await deliver(body, headers),
      await deliver(`${body} `, headers),
      await deliver(body, {}),
      await deliver(largest, signed(largest)),
      await deliver(`${largest} `, signed(`${largest} `)),
    ];

    expect(responses.map(({ status }) => status)).toEqual([200, 401, 401, 200, 413]);
  });

  test('each route has its own method, and any other path or method is 404', async () => {
    const { reference } = await payments.create(ORDER);
    for (const [route, { method, path }] of Object.entries(SHOP_ROUTES)) {
      const own = `/api${path.replace(':reference', reference)}`;
      for (const other of ['GET', 'POST', 'PUT', 'DELETE'])
        if (other !== method || route === 'place')
          expect([`${other} ${route}`, (await call(other, own)).status]).toEqual([
            `${other} ${route}`,
            404,
          ]);
    }
    for (const path of ['/elsewhere', '/api/payments//verify', '/api/payments/a/b/verify'])
      expect((await call('POST', path)).status).toBe(404);
    expect((await call('GET', '/webhooks/service-pay')).status).toBe(404);
    expect((await call('POST', '/api/payments/%/verify')).status).toBe(400);
  });

  test('requests are counted by route and status, without a line of the shop, and without its references (T79)', async () => {
    await serve({
      findOwner: (owner) => (owner === 'broken' ? Promise.reject(new Error()) : owner),
    });
    const { reference } = await payments.create(ORDER);
    await verify(reference);
    await verify('none');
    await verify(reference, { 'x-owner': 'broken' });
    await call('GET', '/api/orders/open');
    await deliver('{}', {});

    const { body } = await payments.metrics();
    const counted = body.split('\n').filter((line) => /^service_pay_requests.* [1-9]/.test(line));

    const [verifies, opens] = ['/api/payments/:reference/verify', '/api/orders/open'];
    expect(counted.sort()).toEqual([
      `service_pay_requests_total{method="GET",route="${opens}",status="200"} 1`,
      `service_pay_requests_total{method="POST",route="${verifies}",status="200"} 1`,
      `service_pay_requests_total{method="POST",route="${verifies}",status="404"} 1`,
      `service_pay_requests_total{method="POST",route="${verifies}",status="500"} 1`,
      'service_pay_requests_total{method="POST",route="/webhooks/service-pay",status="401"} 1',
    ]);
  });

  test('a service that is away is 503 with Retry-After, and its cause is in the log (D52, T133)', async () => {
    const { reference } = await payments.create(ORDER);
    await service.close();

    const away = await verify(reference);

    expect([away.status, away.headers.has('retry-after')]).toEqual([503, true]);
    expect(lines.find((line) => line.includes('verify failed'))).toContain(
      'ECONNREFUSED: nothing listens there',
    );
  });

  test('a database that is away is 503 for every route, and for a webhook (T92)', async () => {
    const { reference } = await payments.create(ORDER);
    const { body, headers } = signedWebhook('collection.successful', { reference });
    await rm(database.url.slice('file:'.length));

    const responses = [
      await verify(reference),
      await call('GET', '/api/orders/open'),
      await call('POST', `/api/payments/${reference}/retry`),
      await call('GET', `/api/payments/${reference}/events`),
      await deliver(body, headers),
    ];

    expect(responses.map(({ status }) => status)).toEqual(Array(5).fill(503));
    for (const { headers: sent } of responses) expect(sent.has('retry-after')).toBe(true);
  });

  test('no stream begins while the shop stops (T93)', async () => {
    const { reference } = await payments.create(ORDER);
    await payments.drain();
    const late = await call('GET', `/api/payments/${reference}/events`);

    expect([late.status, late.headers.has('retry-after')]).toEqual([503, true]);
  });

  test('every response that fails has a status and a code of the contract', async () => {
    const { reference } = await payments.create(ORDER);
    const foreign = { 'sec-fetch-site': 'cross-site' };
    const failures: [ShopRoute, Promise<{ status: number; json: any }>][] = [
      ['verify', verify('none')],
      ['verify', verify(reference, foreign)],
      ['verify', verify('..%2f')],
      ['retry', call('POST', `/api/payments/${reference}/retry`, foreign)],
      ['events', call('GET', '/api/payments/none/events')],
    ];
    for (const [route, failing] of failures) {
      const { status, json } = await failing;
      expect([route, SHOP_CONTRACT[route].failures[status]]).toEqual([
        route,
        expect.arrayContaining([json.errorCode]),
      ]);
    }
  });

  describe('an owner', () => {
    test('an owner that is null, an empty text, or a promise of either is nobody, and new visitors can pay (T161)', async () => {
      for (const nobody of [null, '', undefined]) {
        await serve({ findOwner: () => nobody });
        expect((await call('GET', '/api/orders/open')).json.data).toBeNull();
        expect((await verify('none')).status).toBe(404);
        await serve({ findOwner: async () => nobody });
        expect((await call('GET', '/api/orders/open')).json.data).toBeNull();
        expect((await call('GET', '/api/payments/none/events')).status).toBe(404);
      }
    });

    test('an owner may be a promise, such as of a session in a database (T161)', async () => {
      await serve({ findOwner: async (owner) => owner });
      const { reference } = await payments.create(ORDER);

      expect((await call('GET', '/api/orders/open')).json.data.reference).toBe(reference);
      expect((await verify(reference)).status).toBe(200);
    });

    test('an owner that is a number is named as the mistake (T161)', async () => {
      await serve({ findOwner: () => 7 as never });
      const { status, json } = await call('GET', '/api/orders/open');

      expect([status, json.errorCode]).toEqual([500, '10']);
      expect(lines.join('\n')).toContain('findOwner must return a text, or nothing for nobody');
    });

    test('an owner that cannot be found is a failure, also if finding it throws at once (T161)', async () => {
      const broken = () => {
        throw new Error('no session store');
      };
      for (const findOwner of [broken, () => Promise.reject(new Error('no session store'))]) {
        await serve({ findOwner });
        expect((await call('GET', '/api/orders/open')).status).toBe(500);
      }
      expect(lines.join('\n')).toContain('no session store');
    });
  });

  describe('a page of another origin', () => {
    const read = ({ headers }: { headers: Headers }) =>
      Object.fromEntries([...headers].filter(([name]) => name.startsWith('access-control-')));
    const ALLOWED = {
      'access-control-allow-origin': APP,
      'access-control-allow-credentials': 'true',
    };

    beforeEach(() => serve({ publicUrl: 'https://shop.example', allowedOrigins: [APP] }));

    test('a page of another origin that is allowed may preflight, call with its headers and cookie, and read responses and errors (T160)', async () => {
      const { reference } = await payments.create(ORDER);
      const origin = { origin: APP, 'sec-fetch-site': 'same-site' };
      const path = `/api/payments/${reference}/verify`;
      const preflight = await call('OPTIONS', path, {
        ...origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'x-csrftoken',
      });
      expect(preflight.status).toBe(204);
      expect(read(preflight)).toMatchObject({
        ...ALLOWED,
        'access-control-allow-methods': 'GET, POST',
        'access-control-allow-headers': 'x-csrftoken',
      });

      for (const response of [
        await call('POST', path, origin),
        await verify('none', origin),
        await call('GET', '/api/orders/open', origin),
        await call('GET', '/api/payments/none/events', origin),
      ]) {
        expect(read(response)).toMatchObject(ALLOWED);
        expect(response.headers.get('vary')).toMatch(/\bOrigin\b/i);
        expect(response.status).toBeLessThan(500);
        expect(response.status).not.toBe(401);
      }
    });

    test.each([
      { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
      { origin: `${APP}.evil.example`, 'sec-fetch-site': 'cross-site' },
      { origin: 'http://app.shop.example', 'sec-fetch-site': 'cross-site' },
      { origin: 'null', 'sec-fetch-site': 'cross-site' },
      { origin: 'https://evil.example' }, // in an old browser
      { 'sec-fetch-site': 'same-site' }, // as another port of this host
    ])(
      'a page of another origin that is not allowed may neither preflight nor change nor read (T73): %j',
      async (headers: Record<string, string>) => {
        const { reference } = await payments.create(ORDER);
        const preflight = await call('OPTIONS', `/api/payments/${reference}/verify`, headers);
        const posted = await verify(reference, headers);
        const retried = await call('POST', `/api/payments/${reference}/retry`, headers);
        const opened = await call('GET', '/api/orders/open', headers);

        expect([preflight, posted, opened].flatMap((one) => Object.keys(read(one)))).toEqual([]);
        expect(preflight.status).not.toBe(204);
        for (const { status, json } of [posted, retried])
          expect([status, json.errorCode]).toEqual([401, '13']);
        expect(service.calls).toEqual([]);
      },
    );

    test.each([
      { 'sec-fetch-site': 'same-origin', origin: 'https://shop.example' },
      { 'sec-fetch-site': 'none' },
      {},
    ])('own pages and programs may call: %j', async (headers) => {
      const { reference } = await payments.create(ORDER);

      expect((await verify(reference, headers)).status).toBe(200);
    });

    test('a page of another origin does not matter to the webhook, which the signature guards', async () => {
      const { body, headers } = signedWebhook('collection.successful', {});
      const foreign = { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' };

      expect((await deliver(body, { ...headers, ...foreign })).status).toBe(200);
    });

    test('a page of another origin gets no header of another origin where none is allowed', async () => {
      await serve();
      const opened = await call('GET', '/api/orders/open', { origin: APP });
      expect(read(opened)).toEqual({});
    });
  });
});
