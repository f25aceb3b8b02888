import { describe, expect, test } from 'vitest';
import { type Sandbox, startSandbox } from '../app/start.ts';
import type { FaultSettings } from '../faults/fault-settings.ts';
import { rejected, TestClient } from '../test/client.ts';
import { deliverTo, fits, TestReceiver } from '../test/receiver.ts';

let sandbox: Sandbox;
const receiver = new TestReceiver();
const client = new TestClient(() => sandbox);

deliverTo(receiver, (started) => {
  sandbox = started;
});

const place = (reference: string) => sandbox.control.putCollection({ reference, notify: true });
const placeMany = async (count: number) => {
  for (let at = 0; at < count; at++) await place(`r-${at}`);
};
const setWebhookFaults = (webhooks: FaultSettings['webhooks'], seed = 1) =>
  sandbox.control.setFaults({ webhooks: webhooks!, seed });
const references = () => receiver.received.map(({ body }) => JSON.parse(body).data.reference);

test('duplicate sends the same body and signature twice; each delivery names the other', async () => {
  await setWebhookFaults({ duplicate: 1 });
  await place('twice');
  await sandbox.control.advance(0);

  expect(receiver.received).toHaveLength(2);
  const [one, other] = receiver.received;
  expect(other).toMatchObject({
    body: one!.body,
    headers: { 'x-servicepay-signature': one!.headers['x-servicepay-signature'] },
  });
  const [first, second] = await sandbox.control.webhooks();
  expect(first).toMatchObject({
    repeats: null,
    isReplay: false,
    faults: ['Delivered twice.'],
    status: 'acknowledged',
  });
  expect(second).toMatchObject({
    repeats: first!.id,
    isReplay: false,
    faults: [],
    status: 'acknowledged',
  });
});

test("delaySeconds delays in the sandbox's time, by a number or between two", async () => {
  await setWebhookFaults({ delaySeconds: 90 });
  await place('late');
  await sandbox.control.advance(89);
  expect(receiver.received).toEqual([]);
  await sandbox.control.advance(1);
  expect(references()).toEqual(['late']);

  await setWebhookFaults({ delaySeconds: { min: 10, max: 20 } });
  await placeMany(20);
  await sandbox.control.advance(9);
  expect(receiver.received).toHaveLength(1);
  await sandbox.control.advance(11);
  expect(receiver.received).toHaveLength(21);
  const delays = (await sandbox.control.webhooks())
    .slice(1)
    .map(({ createdAt, attempts }) => Date.parse(attempts[0]!.at) - Date.parse(createdAt));
  expect(new Set(delays).size).toBeGreaterThan(10);
});

test('shuffle swaps neighbours of one merchant; a last one without a neighbour follows a minute later', async () => {
  await setWebhookFaults({ shuffle: 1 });
  await placeMany(5);
  await sandbox.control.advance(59);
  const order = references();
  expect(order.filter((reference) => ['r-0', 'r-1'].includes(reference))).toEqual(['r-1', 'r-0']);
  expect(order.filter((reference) => ['r-2', 'r-3'].includes(reference))).toEqual(['r-3', 'r-2']);
  expect(order).toHaveLength(4);

  await sandbox.control.advance(1);

  expect(references()).toEqual([...order, 'r-4']);
  expect((await sandbox.control.webhooks())[0]).toMatchObject({
    faults: [expect.stringContaining('Swapped')],
    status: 'acknowledged',
  });
});

test('tamper breaks the signature in every kind and says so, and the next attempt is correct', async () => {
  receiver.respond = receiver.checkSignature;
  await setWebhookFaults({ tamper: 1 });
  await placeMany(40);
  await sandbox.control.advance(0);

  expect(receiver.received.map(fits)).toEqual(Array(40).fill(false));
  const said = (await sandbox.control.webhooks()).flatMap(({ faults }) => faults);
  expect(new Set(said).size).toBe(6);
  await sandbox.control.advance(30 * 60);
  expect(receiver.received.slice(40).map(fits)).toEqual(Array(40).fill(true));
  for (const { attempts, body } of await sandbox.control.webhooks()) {
    expect(attempts.map(({ status, faults }) => [status, faults.length])).toEqual([
      [401, 1],
      [200, 0],
    ]);
    expect(attempts[1]!.request.body).toBe(body);
  }
});

test('each attempt shows what was sent, including tampered bodies and signatures', async () => {
  await setWebhookFaults({ tamper: 1 });
  await placeMany(12);
  await sandbox.control.advance(0);

  const shown = (await sandbox.control.webhooks()).map(({ attempts }) => attempts[0]!.request);
  for (const { method, url, headers, body } of shown) {
    expect({ method, url }).toEqual({ method: 'POST', url: receiver.url() });
    const arrived = receiver.received.find((one) => one.body === body)!;
    for (const [name, value] of Object.entries(headers))
      expect(arrived.headers[name.toLowerCase()]).toBe(value);
    expect(Object.keys(headers).length).toBe(
      headers['X-ServicePay-Signature'] === undefined ? 3 : 4,
    );
  }
});

describe('the same seed and calls', () => {
  const settings = {
    drop: 0.3,
    duplicate: 0.3,
    delaySeconds: { min: 0, max: 600 },
    shuffle: 0.3,
    tamper: 0.3,
  };

  async function run(seed: number, beside?: () => Promise<unknown>): Promise<unknown[]> {
    await sandbox.control.reset();
    await sandbox.control.setClock({ mode: 'virtual', now: '2031-01-01T00:00:00.000Z' });
    await sandbox.control.setFaults({
      webhooks: settings,
      merchantApi: { rate: 0.5, kind: 'status' },
      seed,
    });
    for (let at = 0; at < 30; at++) {
      await place(`r-${at}`);
      await beside?.();
    }
    await sandbox.control.advance(2 * 60 * 60);
    return (await sandbox.control.webhooks()).map(({ reference, faults, status, attempts }) => [
      reference,
      faults,
      status,
      attempts.map(({ at, faults: each, status }) => [at, each, status]),
    ]);
  }

  test('the same seed and calls give the same faults and deliveries; another seed gives others (T61)', async () => {
    const first = await run(7);

    expect(await run(7)).toEqual(first);
    expect(await run(8)).not.toEqual(first);
  });

  test('faults of webhooks are independent of calls to another API (T61)', async () => {
    expect(await run(7, () => client.merchant('/collections'))).toEqual(await run(7));
  });

  test('adding one kind of fault does not affect the others (T61)', async () => {
    const dropped = async (webhooks: FaultSettings['webhooks']) => {
      await sandbox.control.reset();
      await setWebhookFaults(webhooks, 5);
      await placeMany(40);
      return (await sandbox.control.webhooks())
        .filter(({ repeats }) => repeats === null)
        .map(({ status }) => status === 'dropped');
    };

    expect(
      await dropped({ drop: 0.5, duplicate: 0.5, tamper: 0.5, delaySeconds: { min: 1, max: 2 } }),
    ).toEqual(await dropped({ drop: 0.5 }));
  });

  test("without a seed, the sandbox's own decides (T61)", async () => {
    const runWith = async (seed: number) => {
      const other = await startSandbox({ seed, webhookUrl: receiver.url() });
      try {
        await other.control.setFaults({ webhooks: { drop: 0.5 } });
        for (let at = 0; at < 30; at++)
          await other.control.putCollection({ reference: `r-${at}`, notify: true });
        return (await other.control.webhooks()).map(({ status }) => status === 'dropped');
      } finally {
        await other.close();
      }
    };

    expect(await runWith(3)).toEqual(await runWith(3));
    expect(await runWith(3)).not.toEqual(await runWith(4));
  });
});

test.each([
  { drop: 1.1 },
  { duplicate: -1 },
  { shuffle: 'x' },
  { tamper: null },
  { delaySeconds: -1 },
  { delaySeconds: '5' },
  { delaySeconds: { min: 5 } },
  { delaySeconds: { min: 6, max: 5 } },
  { delaySeconds: { min: 0, max: 1e12 } },
  { lose: 1 },
])(
  'webhooks %j is 400·01, with the allowed values, and changes nothing (T61)',
  async (webhooks) => {
    await sandbox.control.setFaults({ webhooks: { drop: 1 } });

    const response = await client.control('PUT', '/faults', { webhooks });

    expect(response).toMatchObject(rejected(400, '01'));
    expect(response.json.message).toMatch(/webhooks\S* (must|is not a known field)/);
    expect(await sandbox.control.faults()).toEqual({ webhooks: { drop: 1 } });
  },
);
