import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { startSandbox } from '@service-pay/sandbox';

/** Stands in for the shop: keeps the webhooks it is sent and responds as a test says. */
const received = [];
let respondWith = 200;
const shop = createServer(async (request, response) => {
  received.push(JSON.parse(Buffer.concat(await request.toArray()).toString()));
  response.writeHead(respondWith).end();
});

let sandbox;
let control;
before(async () => {
  await new Promise((resolve) => shop.listen(0, '127.0.0.1', resolve));
  const webhookUrl = `http://127.0.0.1:${shop.address().port}/webhooks`;
  sandbox = await startSandbox({ clock: 'virtual', webhookUrl });
  control = sandbox.control;
});
beforeEach(() => control.reset());
afterEach(() => {
  received.length = 0;
  respondWith = 200;
});
after(async () => {
  await sandbox.close();
  shop.close();
});

const verify = async (reference) => {
  const response = await fetch(`${sandbox.url}/access/v2/collections/status/${reference}`, {
    headers: { authorization: 'Bearer sec_sandbox_demo' },
  });
  return { httpStatus: response.status, ...(await response.json()) };
};

test('a decline', async () => {
  await control.putCollection({
    reference: 'order-1',
    status: 'failed',
    reasonForFailure: 'Not enough funds',
  });

  const { data } = await verify('order-1');

  assert.equal(data.status, 'failed');
  assert.equal(data.reasonForFailure, 'Not enough funds');
});

test('a webhook that arrives ten minutes late', async () => {
  await control.setFaults({ webhooks: { delaySeconds: 600 } });
  await control.putCollection({ reference: 'order-1', notify: true });
  await control.advance(599);
  assert.deepEqual(received, []);
  assert.equal((await verify('order-1')).data.status, 'successful');

  await control.advance(1);

  assert.equal(received[0].data.reference, 'order-1');
});

test('a webhook that arrives twice', async () => {
  await control.setFaults({ webhooks: { duplicate: 1 } });
  await control.putCollection({ reference: 'order-1', notify: true });

  await control.advance(60);

  assert.equal(received.length, 2);
  assert.deepEqual(received[0], received[1]);
});

test('a lost webhook that is replayed', async () => {
  await control.setFaults({ webhooks: { drop: 1 } });
  await control.putCollection({ reference: 'order-1', notify: true });
  await control.advance(86_400);
  assert.deepEqual(received, []);

  const [lost] = await control.webhooks();
  await control.replayWebhook(lost.id);

  assert.equal(received[0].data.reference, 'order-1');
});

test('24 hours of retries in a moment', async () => {
  respondWith = 503;
  await control.putCollection({ reference: 'order-1', notify: true });

  await control.advance(24 * 60 * 60);

  const [delivery] = await control.webhooks();
  assert.equal(delivery.status, 'given-up');
  assert.equal(delivery.attempts.length, 49);
  assert.equal(received.length, 49);
});

test('a receiver that is back after an hour', async () => {
  respondWith = 503;
  await control.putCollection({ reference: 'order-1', notify: true });
  await control.advance(60 * 60);
  respondWith = 200;

  await control.advance(30 * 60);

  const [delivery] = await control.webhooks();
  assert.equal(delivery.status, 'acknowledged');
});

test('a service that is unavailable for a while', async () => {
  await control.putCollection({ reference: 'order-1' });
  await control.setFaults({ merchantApi: { rate: 1, kind: 'status', status: 503 } });
  assert.equal((await verify('order-1')).httpStatus, 503);

  await control.clearFaults();

  assert.equal((await verify('order-1')).data.status, 'successful');
});

test('a connection that breaks', async () => {
  await control.setFaults({ merchantApi: { rate: 1, kind: 'reset' } });

  await assert.rejects(verify('order-1'));
});

test('every other call fails, the same ones in each run', async () => {
  const callTenTimes = async () => {
    await control.setFaults({ seed: 7, merchantApi: { rate: 0.5, kind: 'status', status: 500 } });
    const statuses = [];
    for (let call = 0; call < 10; call++) statuses.push((await verify('order-1')).httpStatus);
    return statuses;
  };

  assert.deepEqual(await callTenTimes(), await callTenTimes());
});
