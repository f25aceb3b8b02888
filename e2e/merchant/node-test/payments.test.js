import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { startSandbox } from '@service-pay/sandbox';

let sandbox;
before(async () => {
  sandbox = await startSandbox();
});
beforeEach(() => sandbox.control.reset());
after(() => sandbox.close());

test('a paid order is verified', async () => {
  await sandbox.control.putCollection({ reference: 'order-1', amount: '10.75' });

  const response = await fetch(`${sandbox.url}/access/v2/collections/status/order-1`, {
    headers: { authorization: 'Bearer sec_sandbox_demo' },
  });

  const { data } = await response.json();
  assert.equal(data.status, 'successful');
  assert.equal(data.amount, '10.75');
});
