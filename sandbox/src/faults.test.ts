import { ERROR_CODES, type ErrorCode } from '@service-pay/contract/envelope';
import { request } from 'undici';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';

import { type Sandbox, startSandbox } from './sandbox.ts';
import { refused, TestClient } from './test-client.ts';

let sandbox: Sandbox;
const client = new TestClient(() => sandbox);

beforeAll(async () => {
  sandbox = await startSandbox();
});
afterAll(() => sandbox.close());
beforeEach(() => sandbox.control.reset());

test('a face fails as it is set, the control API never; DELETE ends it', async () => {
  await sandbox.control.setFaults({
    merchantApi: { rate: 1, kind: 'status', status: 503, errorCode: '10' },
    checkoutApi: { rate: 1, kind: 'reset' },
  });

  const broken = await client.merchant('/collections');
  expect(broken).toMatchObject(refused(503, '10'));
  expect(broken.headers['retry-after']).toBe('1');
  await expect(client.openSession('x')).rejects.toThrow();

  await sandbox.control.clearFaults();
  expect((await client.merchant('/collections')).status).toBe(200);
});

test.each(Object.entries(ERROR_CODES))(
  'errorCode %s travels with its HTTP status, and with another that is named (D38)',
  async (errorCode, { httpStatus }) => {
    await sandbox.control.setFaults({ merchantApi: { rate: 1, kind: 'status', errorCode: errorCode as ErrorCode } });
    expect(await client.merchant('/collections')).toMatchObject(refused(httpStatus, errorCode));

    await sandbox.control.setFaults({ merchantApi: { rate: 1, kind: 'status', errorCode: errorCode as ErrorCode, status: 503 } });
    expect(await client.merchant('/collections')).toMatchObject(refused(503, errorCode));
  },
);

test('too many calls are 429·10 with Retry-After, where that is switched on (D44)', async () => {
  await sandbox.control.setFaults({ merchantApi: { rate: 1, kind: 'status', status: 429 } });

  const answer = await client.merchant('/collections');

  expect(answer).toMatchObject(refused(429, '10'));
  expect(answer.headers['retry-after']).toBe('1');
});

test('the same seed and calls give the same faults (T61)', async () => {
  const run = async () => {
    await sandbox.control.setFaults({ merchantApi: { rate: 0.5, kind: 'status' }, seed: 7 });
    const statuses: number[] = [];
    for (let call = 0; call < 20; call++) statuses.push((await client.merchant('/collections')).status);
    return statuses;
  };

  const first = await run();

  expect(new Set(first)).toEqual(new Set([200, 500]));
  expect(await run()).toEqual(first);
});

test('a spoiled answer has the status and length of the real one: garbage is no JSON, truncate ends early, drip comes byte by byte', async () => {
  const whole = await client.merchant('/collections');
  const spoiled = async (kind: 'garbage' | 'truncate' | 'drip') => {
    await sandbox.control.setFaults({ merchantApi: { rate: 1, kind, latencyMs: 1 } });
    const answer = await request(`${sandbox.url}/access/v2/collections`, { headers: { authorization: 'Bearer sec_sandbox_demo' } });
    expect(answer.statusCode).toBe(200);
    expect(answer.headers['content-length']).toBe(whole.headers['content-length']);
    return answer.body;
  };

  const garbage = Buffer.from(await (await spoiled('garbage')).arrayBuffer());
  expect(garbage).toHaveLength(whole.text.length);
  expect(() => JSON.parse(garbage.toString())).toThrow();

  await expect((await spoiled('truncate')).text()).rejects.toThrow();

  const chunks: string[] = [];
  for await (const chunk of await spoiled('drip')) chunks.push(`${chunk}`);
  expect(chunks.join('')).toBe(whole.text);
  expect(chunks.length).toBeGreaterThan(whole.text.length / 2);
});

test.each(['garbage', 'truncate', 'drip'] as const)('an answer without a body passes through %s (T61)', async (kind) => {
  await sandbox.control.setFaults({ script: { rate: 1, kind } });

  const answer = await client.call('/js/v1/inline.js', { method: 'HEAD' });

  expect(answer).toMatchObject({ status: 200, text: '' });
});

test.each([
  { merchantApi: { rate: 2, kind: 'status' } },
  { merchantApi: { rate: -1, kind: 'status' } },
  { merchantApi: { rate: 'x', kind: 'status' } },
  { merchantApi: { rate: 1, kind: 'fire' } },
  { merchantApi: { rate: 1, kind: 'drip', latencyMs: -1 } },
  { webhooks: { drop: 2 } },
  { webhooks: { lose: 1 } },
  { controlApi: { rate: 1, kind: 'hang' } },
])('%j is 400·01 (T61)', async (faults) => {
  expect(await client.control('PUT', '/faults', faults)).toMatchObject(refused(400, '01'));
});
