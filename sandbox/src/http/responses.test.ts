import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAttemptSchema } from '@service-pay/contract/checkout-api';
import { collectionSchema } from '@service-pay/contract/collection';
import { paymentRequestSchema } from '@service-pay/contract/payment-request-schema';
import express from 'express';
import { pino } from 'pino';
import { request } from 'undici';
import * as v from 'valibot';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ApiError } from './api-error.ts';
import { buildErrorHandler, parseInput, respondNotFound } from './responses.ts';

const logLines: string[] = [];
const app = express();
app.get('/broken', () => {
  throw new Error('canary: sec_sandbox_demo\n4242424242424242');
});
app.get('/odd', () => {
  throw 'canary';
});
app.use(respondNotFound);
app.use(
  buildErrorHandler(
    pino({ level: 'trace' }, { write: (line: string) => void logLines.push(line) }),
  ),
);
const server = createServer(app);

beforeAll(() => once(server.listen(0, '127.0.0.1'), 'listening'));
afterAll(() => server.close());

test.each(['/broken', '/odd'])(
  'an unexpected error at %s is 500·10 with an id; its text is in neither response nor log (T77)',
  async (path) => {
    const response = await request(
      `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`,
    );
    const body = await response.body.text();

    expect(response.statusCode).toBe(500);
    expect(JSON.parse(body)).toMatchObject({ status: false, errorCode: '10' });
    const [id] = /[0-9a-f-]{36}/.exec(body)!;
    expect(logLines.join('')).toContain(id);
    expect(body + logLines.join('')).not.toMatch(/canary|sec_sandbox|4242424242424242/);
  },
);

test('an invalid field is named once by path and rule, never by value', () => {
  const schema = v.object({
    amount: v.string(),
    mode: v.picklist(['real', 'virtual']),
    name: v.pipe(v.string(), v.regex(/^a/, 'must begin with a'), v.regex(/b$/, 'must end with b')),
    origins: v.array(v.string()),
    reference: v.string(),
  });

  const read = () =>
    parseInput(schema, { amount: 4242, mode: 'canary', name: 'canary', origins: 'canary' });

  expect(read).toThrow(ApiError);
  expect(read).toThrow(
    'amount must be a text. mode must be "real" or "virtual". name must begin with a. origins must be a list. reference is missing.',
  );
  expect(() => parseInput(schema, undefined)).toThrow('The body is missing.');
});

test.each<[string, v.GenericSchema, unknown]>([
  [
    'an attempt',
    createAttemptSchema,
    {
      id: 'canary',
      channel: 'card',
      card: { number: '4'.repeat(65), expiry: 1, securityCode: null },
    },
  ],
  [
    'a payment request',
    paymentRequestSchema,
    {
      amount: 'canary',
      currency: 'canary',
      channels: ['card', 'card', 'card'],
      customer: 'canary',
    },
  ],
  [
    'a collection',
    collectionSchema,
    { id: 'canary', initiatedAt: 'canary', amount: 'canary', settlement: { id: 'canary' } },
  ],
])('every rule of %s has a message on what to send, without the value', (_, schema, input) => {
  const rejection = rejectionOf(() => parseInput(schema, input));

  expect(rejection.problems!.length).toBeGreaterThan(3);
  for (const { message } of rejection.problems!) {
    expect(message).toMatch(/^[\w.]+ (is missing|must be .+)\.$/);
    expect(message).not.toMatch(/canary|44444|undefined|null|Object|Array|<=/);
  }
});

function rejectionOf(act: () => unknown): ApiError {
  try {
    act();
  } catch (error) {
    return error as ApiError;
  }
  throw new Error('was not rejected');
}
