import type { AddressInfo } from 'node:net';
import express, { type RequestHandler } from 'express';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { buildTestLog } from '../../test/parts.ts';
import { PATIENT } from '../../test/patience.ts';
import { openPayments } from '../../test/payments.ts';
import type { Payments } from '../index.ts';
import { makeDatabaseUrl, type TestDatabase } from '../testing/databases.ts';
import { ManualClock } from '../testing/manual-clock.ts';
import { signedWebhook } from '../testing/upstream.ts';
import { webhookRoute } from './router.ts';

const { body, headers } = signedWebhook('collection.successful', { note: 'Café' });

let database: TestDatabase;
let payments: Payments;
const lines: string[] = [];

beforeAll(async () => {
  database = await makeDatabaseUrl('sqlite');
  payments = await openPayments({
    database: database.url,
    log: buildTestLog(lines),
    clock: new ManualClock(),
  });
});

afterAll(async () => {
  await payments.close();
  await database.drop();
});

async function deliverBehind(...before: RequestHandler[]): Promise<Response> {
  const app = express();
  for (const handler of before) app.use(handler);
  const server = app.use(webhookRoute(payments)).listen(0, '127.0.0.1');
  await vi.waitFor(() => expect(server.listening).toBe(true), PATIENT);
  onTestFinished(() => void server.close().closeAllConnections());
  const { port } = server.address() as AddressInfo;
  return fetch(`http://127.0.0.1:${port}/webhooks/service-pay`, {
    method: 'POST',
    body,
    headers: { ...headers, 'content-type': 'application/json' },
  });
}

/** Parses as Firebase, Google's functions and NestJS do. */
const keepRawBody = express.json({
  verify: (req, _res, bytes) => {
    Object.assign(req, { rawBody: bytes });
  },
});

test.each<[string, RequestHandler[]]>([
  ['no parser', []],
  ['a parser of other bodies', [express.urlencoded()]],
  ['express.raw()', [express.raw({ type: () => true })]],
  ['express.text()', [express.text({ type: () => true })]],
  ['express.json() that keeps the bytes', [keepRawBody]],
  ['a wait', [(_req, _res, next) => void setImmediate(next)]],
])('a webhook behind %s is stored (T131)', async (_what, before) => {
  expect((await deliverBehind(...before)).status).toBe(200);
});

test.each<[string, RequestHandler]>([
  ['express.json()', express.json()],
  [
    'something that reads it and keeps nothing',
    (req, _res, next) => req.resume().once('end', next),
  ],
])('a webhook behind %s is 500 with the cause, also in the log (T131)', async (_what, parser) => {
  const response = await deliverBehind(parser);

  expect([response.status, await response.json()]).toMatchObject([
    500,
    { message: expect.stringContaining('before anything that reads bodies') },
  ]);
  expect(lines.find((line) => line.includes('webhook not stored'))).toContain('express.json()');
  expect(lines.join()).not.toContain('another token');
});

test('an event of a serverless platform is stored, in base64 and with header names in any case (T131)', async () => {
  const signature = headers['x-servicepay-signature']!;
  const rawBody = Buffer.from(body).toString('base64');

  for (const given of [
    { 'X-SERVICEPAY-SIGNATURE': signature },
    { 'X-ServicePay-Signature': [signature] },
    new Headers(headers),
  ])
    expect(
      await payments.receiveWebhook({ headers: given, rawBody, isBase64Encoded: true }),
    ).toMatchObject({ status: 200 });
  expect(
    await payments.receiveWebhook({ headers, rawBody: body, isBase64Encoded: false }),
  ).toMatchObject({ status: 200 });
});

test.each([
  ['parsed', { event: 'x' }],
  ['missing', undefined],
])('a rawBody that is %s is named as the cause (T131)', async (_what, rawBody) => {
  const response = await payments.receiveWebhook({ headers, rawBody: rawBody as never });

  expect(response).toMatchObject({ status: 500, code: 'body_already_read' });
});
