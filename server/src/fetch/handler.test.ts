import { afterEach, beforeEach, expect, test } from 'vitest';
import { buildTestLog } from '../../test/parts.ts';
import { openPayments } from '../../test/payments.ts';
import type { Payments } from '../index.ts';
import { makeDatabaseUrl, type TestDatabase } from '../testing/databases.ts';
import { collectionResponse, signedWebhook, startUpstream } from '../testing/upstream.ts';
import { buildFetchHandler } from './handler.ts';

const ORDER = { amount: '92.50', currency: 'ZMW', owner: 'ann', data: {} };

let database: TestDatabase;
let service: Awaited<ReturnType<typeof startUpstream>>;
let payments: Payments;
let status: string;
let lines: string[];
let handle: (request: Request) => Promise<Response>;

beforeEach(async () => {
  database = await makeDatabaseUrl('sqlite');
  status = 'successful';
  lines = [];
  service = await startUpstream((req, res) => res.end(collectionResponse(req.url!, { status })));
  payments = await openPayments({
    apiUrl: service.url,
    database: database.url,
    log: buildTestLog(lines),
  });
  handle = buildFetchHandler(payments, {
    findOwner: (request) => request.headers.get('x-owner') ?? undefined,
    checkoutOptions: ({ reference }) => ({ reference }),
  });
});

afterEach(async () => {
  await payments.close();
  await service.close();
  await database.drop();
});

function call(path: string, init: RequestInit = {}, owner = 'ann'): Promise<Response> {
  const headers = { 'x-owner': owner, ...(init.headers as Record<string, string>) };
  return handle(new Request(`https://shop.example${path}`, { method: 'POST', ...init, headers }));
}

test('a webhook whose body was read before the handler is 500 with the cause, also in the log (T131)', async () => {
  const { reference } = await payments.create(ORDER);
  const { body, headers } = signedWebhook('collection.successful', { reference });
  const build = (init: RequestInit = {}) =>
    new Request('https://shop.example/webhooks/service-pay', {
      method: 'POST',
      body,
      headers: { ...headers, 'content-length': `${body.length}` },
      ...init,
    });
  const read = build();
  await read.json();
  const locked = build();
  locked.body!.getReader();
  // Node's request after a framework has parsed its body
  const drained = build({ body: '' });

  for (const request of [read, locked, drained]) {
    const response = await handle(request);
    expect([response.status, await response.json()]).toMatchObject([
      500,
      { message: expect.stringContaining('before anything that reads bodies') },
    ]);
  }
  expect(lines.find((line) => line.includes('webhook not stored'))).toContain('express.json()');
  expect(lines.join()).not.toContain('another token');
});

test.each([
  ['a final slash', '', '/'],
  ['a base path', '/shop', ''],
  ['a base path that the host has removed', '', ''],
  ['both', '/shop', '/'],
])('a path with %s gets the same response (T132)', async (_what, before, after) => {
  handle = buildFetchHandler(payments, {
    findOwner: () => 'ann',
    checkoutOptions: ({ reference }) => ({ reference }),
    basePath: '/shop/',
  });
  const { reference } = await payments.create(ORDER);
  const { body, headers } = signedWebhook('collection.successful', { reference });
  const path = `${before}/api/payments/${reference}`;

  const webhook = await call(`${before}/webhooks/service-pay${after}`, { body, headers });
  const verified = await call(`${path}/verify${after}`);
  const retried = await call(`${path}/retry${after}`);
  const events = await call(`${path}/events${after}`, { method: 'GET' });
  const elsewhere = await call(`/shopping${path}/verify${after}`);
  const twoSlashes = await call(`${path}/verify//`);

  expect([webhook, verified, retried, events].map((response) => response.status)).toEqual([
    200, 200, 400, 200,
  ]);
  expect([elsewhere.status, twoSlashes.status]).toEqual([404, 404]);
  await events.body!.cancel();
});

test('a reader that leaves ends its stream', async () => {
  status = 'pending';
  const { reference } = await payments.create(ORDER);
  const { body } = await call(`/api/payments/${reference}/events`, { method: 'GET' });
  const reader = body!.getReader();
  await reader.read();

  await reader.cancel();

  expect(await reader.read()).toEqual({ done: true, value: undefined });
});

test('a request that its host aborts ends its stream', async () => {
  status = 'pending';
  const { reference } = await payments.create(ORDER);
  const host = new AbortController();
  const path = `/api/payments/${reference}/events`;
  const events = await call(path, { method: 'GET', signal: host.signal });
  const text = events.text();

  host.abort();

  expect(await text).toContain('retry: ');
});

test('event streams end when payments drain (T93)', async () => {
  status = 'pending';
  const { reference } = await payments.create(ORDER);
  const events = await call(`/api/payments/${reference}/events`, { method: 'GET' });
  const text = events.text();

  await payments.drain();

  expect(await text).toContain('retry: ');
});
