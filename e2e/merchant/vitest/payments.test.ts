import { type Sandbox, startSandbox } from '@service-pay/sandbox';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox();
});
beforeEach(() => sandbox.control.reset());
afterAll(() => sandbox.close());

test('a paid order is verified', async () => {
  await sandbox.control.putCollection({ reference: 'order-1', amount: '10.75' });

  const response = await fetch(`${sandbox.url}/access/v2/collections/status/order-1`, {
    headers: { authorization: 'Bearer sec_sandbox_demo' },
  });

  const { data } = (await response.json()) as { data: object };
  expect(data).toMatchObject({ status: 'successful', amount: '10.75' });
});
