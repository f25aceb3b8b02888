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

test.each([
  { merchantApi: { rate: 2, kind: 'status' } },
  { merchantApi: { rate: -1, kind: 'status' } },
  { merchantApi: { rate: 'x', kind: 'status' } },
  { merchantApi: { rate: 1, kind: 'fire' } },
  { webhooks: { drop: 2 } },
])('%j is 400·01 (T61)', async (faults) => {
  expect(await client.control('PUT', '/faults', faults)).toMatchObject(refused(400, '01'));
});
