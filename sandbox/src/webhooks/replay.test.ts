import { signWebhook } from '@service-pay/contract/webhook-signature';
import { describe, expect, test } from 'vitest';

import { type Sandbox, startSandbox } from '../app/start.ts';
import { rejected, TestClient } from '../test/client.ts';
import { deliverTo, fits, TestReceiver } from '../test/receiver.ts';

const SIGNATURE = 'x-servicepay-signature';

let sandbox: Sandbox;
const receiver = new TestReceiver();
const client = new TestClient(() => sandbox);

deliverTo(receiver, (started) => {
  sandbox = started;
});

async function deliver(...references: string[]): Promise<string[]> {
  for (const reference of references) {
    await sandbox.control.putCollection({ reference, notify: true });
    await sandbox.control.advance(0);
  }
  return (await sandbox.control.webhooks()).map(({ id }) => id);
}
const references = () => receiver.received.map(({ body }) => JSON.parse(body).data.reference);

test('a replay sends the same event and body again as a new delivery that names the original', async () => {
  const [id] = await deliver('again');
  await sandbox.control.advance(60);

  const [replay, ...others] = await sandbox.control.replayWebhook(id!);

  expect(others).toEqual([]);
  expect(replay).toMatchObject({
    repeats: id,
    isReplay: true,
    status: 'acknowledged',
    url: receiver.url(),
    attempts: [{ status: 200, body: 'ok' }],
  });
  expect(replay!.id).not.toBe(id);
  const [first, second] = receiver.received;
  expect(second).toMatchObject({
    body: first!.body,
    headers: { [SIGNATURE]: first!.headers[SIGNATURE] },
  });
  expect((await sandbox.control.webhooks()).map(({ repeats }) => repeats)).toEqual([null, id]);
});

test('a replay delivers a lost webhook late, on a virtual clock, too', async () => {
  await sandbox.control.setFaults({ webhooks: { drop: 1 } });
  const [id] = await deliver('lost');
  expect(receiver.received).toEqual([]);

  expect(await sandbox.control.replayWebhook(id!)).toMatchObject([
    { status: 'acknowledged', faults: [] },
  ]);

  expect(references()).toEqual(['lost']);
});

test('a replay sends several copies at once', async () => {
  const [id] = await deliver('many');
  const held: (() => void)[] = [];
  let isHolding = true;
  receiver.respond = (res) => {
    if (!isHolding) return void res.end();
    held.push(() => res.end());
    if (held.length < 64) return;
    isHolding = false;
    for (const respond of held) respond();
  };

  const replays = await sandbox.control.replayWebhook(id!, { times: 100 });

  expect(replays.map(({ status }) => status)).toEqual(Array(100).fill('acknowledged'));
  expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1);
  expect(receiver.received).toHaveLength(101);
});

test('a replay sends several in order, or shuffled by the seed (T61)', async () => {
  const names = Array.from({ length: 8 }, (_, at) => `r-${at}`);
  await deliver(...names);
  const orderOf = async (options: object) => {
    receiver.received = [];
    await sandbox.control.replayWebhooks(options);
    return references();
  };

  expect(await orderOf({})).toEqual(names);
  await sandbox.control.setFaults({ seed: 4 });
  const shuffled = await orderOf({ shuffle: true });
  expect(shuffled).not.toEqual(names);
  expect(shuffled.toSorted()).toEqual(names);
  await sandbox.control.setFaults({ seed: 4 });
  expect(await orderOf({ shuffle: true })).toEqual(shuffled);
});

test('a replay selects by reference or id, and includes replays only if named', async () => {
  const [one, two] = await deliver('one', 'two');
  await sandbox.control.replayWebhook(one!);
  receiver.received = [];

  expect(await sandbox.control.replayWebhooks({ reference: 'one', times: 2 })).toHaveLength(2);
  expect(references()).toEqual(['one', 'one']);
  expect(await sandbox.control.replayWebhooks({ ids: [two!, one!, two!] })).toMatchObject([
    { repeats: two },
    { repeats: one },
    { repeats: two },
  ]);
  expect(references().slice(2)).toEqual(['two', 'one', 'two']);
});

test("a replay signs with the merchant's current token", async () => {
  const [id] = await deliver('renewed');
  await sandbox.control.putMerchant('pub_sandbox_demo', { apiToken: 'sec_renewed' });

  await sandbox.control.replayWebhook(id!);

  const [, second] = receiver.received;
  expect(second!.headers[SIGNATURE]).toBe(signWebhook(second!.body, 'sec_renewed'));
});

test('a replay is tried once, without faults, scenarios or retries', async () => {
  const [id] = await deliver('once');
  await sandbox.control.setFaults({
    webhooks: { drop: 1, duplicate: 1, tamper: 1, delaySeconds: 60, shuffle: 1 },
  });
  receiver.respond = (res) => void res.writeHead(500).end();

  expect(await sandbox.control.replayWebhook(id!)).toMatchObject([
    { status: 'given-up', nextAttemptAt: null, attempts: [{ status: 500 }] },
  ]);
  await sandbox.control.advance(24 * 60 * 60);

  expect(receiver.received).toHaveLength(2);
  expect(receiver.received.every(fits)).toBe(true);
});

describe('to another address', () => {
  test('a replay to another address goes only there, and not where it redirects to (T57)', async () => {
    const [id] = await deliver('elsewhere');
    receiver.respond = (res, req) =>
      void res
        .writeHead(req.url === '/other' ? 302 : 200, { location: receiver.url('/target') })
        .end();

    const [replay] = await sandbox.control.replayWebhook(id!, { url: receiver.url('/other') });

    expect(replay).toMatchObject({
      url: receiver.url('/other'),
      status: 'given-up',
      attempts: [{ status: 302, headers: { location: receiver.url('/target') } }],
    });
    expect(receiver.received.map(({ path }) => path)).toEqual(['/hook', '/other']);
  });

  test.each([
    'file:///etc/passwd',
    'http://user:pw@localhost/',
    'http://169.254.169.254/latest/meta-data/',
    'http://metadata.internal/',
    'http://localhost.evil.example/',
    'ftp://localhost/',
    'http://0x7f000001.evil.example/',
    'javascript:alert(1)',
    'localhost',
    '',
  ])(
    'a replay to %j is rejected with 400·01 in both calls and sends nothing (T57)',
    async (url) => {
      const [id] = await deliver('kept');

      for (const [path, body] of [
        [`/webhooks/${id}/replay`, { url }],
        ['/webhooks/replay', { url }],
      ] as const) {
        const response = await client.control('POST', path, body);
        expect(response).toMatchObject(rejected(400, '01'));
        if (url) expect(response.text).not.toContain(url);
      }
      expect(receiver.received).toHaveLength(1);
      expect(await sandbox.control.webhooks()).toHaveLength(1);
    },
  );

  test('a replay may go to a host that the sandbox was started with (T57)', async () => {
    const named = await startSandbox({ webhookUrl: 'http://shop.internal:9/hook' });
    try {
      await named.control.putMerchant('pub_sandbox_demo', { webhookUrl: receiver.url() });
      await named.control.putCollection({ reference: 'x', notify: true });
      const [delivery] = await named.control.webhooks();

      expect(
        await named.control.replayWebhook(delivery!.id, { url: 'http://shop.internal:9/other' }),
      ).toMatchObject([{ status: 'given-up', attempts: [{ status: null }] }]);
      await expect(
        named.control.replayWebhook(delivery!.id, { url: 'http://other.internal:9/' }),
      ).rejects.toThrow('url must be');
    } finally {
      await named.close();
    }
  });
});

test('a replay fails with 404·11 for an unknown delivery or none, and 400·01 for ids with a reference', async () => {
  expect(await client.control('POST', '/webhooks/nothing/replay')).toMatchObject(
    rejected(404, '11'),
  );
  expect(await client.control('POST', '/webhooks/replay')).toMatchObject(rejected(404, '11'));
  const [id] = await deliver('known');
  expect(await client.control('POST', '/webhooks/replay', { ids: [id, 'unknown'] })).toMatchObject(
    rejected(404, '11'),
  );
  expect(await client.control('POST', '/webhooks/replay', { reference: 'unknown' })).toMatchObject(
    rejected(404, '11'),
  );
  expect(
    await client.control('POST', '/webhooks/replay', { ids: [id], reference: 'known' }),
  ).toMatchObject(rejected(400, '01'));
  expect(receiver.received).toHaveLength(1);
});

test.each([{ times: 0 }, { times: 101 }, { times: 1.5 }, { times: '2' }, { count: 2 }, { url: 5 }])(
  'a replay rejects %j with 400·01',
  async (body) => {
    const [id] = await deliver('bad');

    expect(await client.control('POST', `/webhooks/${id}/replay`, body)).toMatchObject(
      rejected(400, '01'),
    );
    expect(await client.control('POST', '/webhooks/replay', body)).toMatchObject(
      rejected(400, '01'),
    );
    expect(receiver.received).toHaveLength(1);
  },
);

test('a replay is rejected with 400·01 for more than a thousand in one call', async () => {
  const ids = await deliver(...Array.from({ length: 11 }, (_, at) => `r-${at}`));

  expect(await client.control('POST', '/webhooks/replay', { times: 100 })).toMatchObject(
    rejected(400, '01'),
  );
  expect(receiver.received).toHaveLength(ids.length);
});

describe('a receiver that calls the sandbox', () => {
  test('a receiver gets a replay that it requests in its own handler, even during an advance (T58)', async () => {
    const [id] = await deliver('first');
    let nested: unknown;
    receiver.respond = (res, req) => {
      if (req.url === '/again') return void res.end();
      void sandbox.control.replayWebhook(id!, { url: receiver.url('/again') }).then((made) => {
        nested = made;
        res.end();
      });
    };
    await sandbox.control.putCollection({ reference: 'second', notify: true });
    await sandbox.control.advance(0);

    expect(nested).toMatchObject([{ status: 'acknowledged', repeats: id }]);
    expect((await sandbox.control.webhooks()).map(({ status }) => status)).toEqual(
      Array(3).fill('acknowledged'),
    );
  });

  test('a receiver gets no more replays after a reset (T59)', async () => {
    await deliver('r-0', 'r-1', 'r-2');
    receiver.received = [];
    receiver.respond = (res) => void sandbox.control.reset().then(() => res.end());

    await sandbox.control.replayWebhooks();

    expect(references()).toEqual(['r-0']);
    expect(await sandbox.control.webhooks()).toEqual([]);
  });
});
