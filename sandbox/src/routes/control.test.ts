import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { ControlError } from '../app/start.ts';
import { pay, rejected, TestClient } from '../test/client.ts';
import { shareSandbox } from '../test/shared-sandbox.ts';

const sandbox = shareSandbox();
const client = new TestClient(() => sandbox);

describe('the clock', () => {
  test.each([-1, '60', 1e12, null, {}, undefined])(
    'the clock rejects an advance by %j with 400·01 (T59)',
    async (seconds) => {
      expect(await client.control('POST', '/clock/advance', { seconds })).toMatchObject(
        rejected(400, '01'),
      );
    },
  );

  test('the clock rejects NaN, an earlier now, and a now for a real clock (T59)', async () => {
    const raw = {
      method: 'POST',
      body: '{"seconds":NaN}',
      headers: { 'content-type': 'application/json' },
    };
    expect(await client.call('/_sandbox/clock/advance', raw)).toMatchObject(rejected(400, '01'));
    expect(
      await client.control('PUT', '/clock', { mode: 'virtual', now: '2020-01-01T00:00:00.000Z' }),
    ).toMatchObject(rejected(400, '01'));
    expect(
      await client.control('PUT', '/clock', { mode: 'real', now: '2090-01-01T00:00:00.000Z' }),
    ).toMatchObject(rejected(400, '01'));
    expect(await client.control('PUT', '/clock', { mode: 'stopped' })).toMatchObject(
      rejected(400, '01'),
    );
    expect(
      await client.control('PUT', '/clock', { mode: 'virtual', now: 'tomorrow' }),
    ).toMatchObject(rejected(400, '01'));
  });

  test('the clock stands still when virtual, moves when advanced, runs when real and goes back only by a reset (T59)', async () => {
    const { now } = await sandbox.control.setClock({
      mode: 'virtual',
      now: '2090-01-01T00:00:00.000Z',
    });
    expect(now).toBe('2090-01-01T00:00:00.000Z');
    expect(await sandbox.control.advance(1.5)).toEqual({
      mode: 'virtual',
      now: '2090-01-01T00:00:01.500Z',
    });
    expect((await client.visit('then')).session.now).toBe('2090-01-01T00:00:01.500Z');

    const real = await sandbox.control.setClock({ mode: 'real' });
    expect(real.mode).toBe('real');
    expect(real.now >= '2090-01-01T00:00:01.500Z').toBe(true);
    await sandbox.control.reset();
    expect((await client.visit('now')).session.now < '2090').toBe(true);
  });

  test('the clock stops before years with five digits', async () => {
    const late = { mode: 'virtual', now: '8999-12-31T00:00:00.000Z' } as const;
    expect(
      await client.control('PUT', '/clock', { ...late, now: '9000-01-01T00:00:00.000Z' }),
    ).toMatchObject(rejected(400, '01'));
    await sandbox.control.setClock(late);

    expect(
      await client.control('POST', '/clock/advance', { seconds: 2 * 24 * 60 * 60 }),
    ).toMatchObject(rejected(400, '01'));
    expect(await sandbox.control.advance(60)).toMatchObject({ now: '8999-12-31T00:01:00.000Z' });
  });

  test('the clock gives the same events for the same day of prompts, session ends and settlements (T60)', async () => {
    const run = async () => {
      await sandbox.control.reset();
      await sandbox.control.putMerchant('pub_sandbox_demo', {
        webhookUrl: 'http://127.0.0.1:9/',
        events: ['collection.successful', 'collection.failed', 'collection.settled'],
      });
      await sandbox.control.setClock({ mode: 'virtual', now: '2030-01-01T00:00:00.000Z' });
      for (const [at, phone] of [
        '0971111111',
        '0972222222',
        '0977777777',
        '0971111111',
      ].entries()) {
        await client.attempt(await client.visit(`r-${at}`), pay.phone(phone, 'airtel'));
      }
      await client.attempt(await client.visit('card'), pay.card('4242424242424242'));
      await sandbox.control.advance(26 * 60 * 60);
      return (await sandbox.control.webhooks()).map(({ event, reference, createdAt, attempts }) => [
        event,
        reference,
        createdAt,
        attempts.map(({ at }) => at),
      ]);
    };

    const first = await run();

    expect(first.map(([event, reference]) => `${event} ${reference}`)).toEqual([
      'collection.successful card',
      'collection.successful r-0',
      'collection.successful r-3',
      'collection.settled r-0',
      'collection.settled r-3',
      'collection.failed r-1',
      'collection.failed r-2',
      'collection.settled card',
    ]);
    expect(await run()).toEqual(first);
  });
});

test.each(['[]', '[{"rate":1}]', `{"a":${'['.repeat(32)}${']'.repeat(32)}}`])(
  'a fault setting of %j is rejected with 400·01 and changes nothing',
  async (body) => {
    await sandbox.control.setFaults({ merchantApi: { rate: 1, kind: 'status', status: 503 } });

    const response = await client.call('/_sandbox/faults', {
      method: 'PUT',
      body,
      headers: { 'content-type': 'application/json' },
    });

    expect(response).toMatchObject(rejected(400, '01'));
    expect((await client.merchant('/collections')).status).toBe(503);
  },
);

describe('phones', () => {
  test('a phone sends each answer to one prompt, the newest or the named one; fails with 404·11 without a prompt (T49)', async () => {
    for (const reference of ['p-1', 'p-2', 'p-3'])
      await client.attempt(await client.visit(reference), pay.phone('0960000000', 'mtn'));

    expect(await sandbox.control.approve('+260 96 000 0000', 'p-1')).toBe('p-1');
    expect(await sandbox.control.decline('960000000')).toBe('p-3');
    expect(await sandbox.control.approve('0960000000')).toBe('p-2');

    expect(await client.control('POST', '/phones/0960000000/approve')).toMatchObject(
      rejected(404, '11'),
    );
    expect(
      await client.control('POST', '/phones/0960000000/approve', { reference: 'p-1' }),
    ).toMatchObject(rejected(404, '11'));
    expect(await client.control('POST', '/phones/nobody/approve')).toMatchObject(
      rejected(400, '12'),
    );
    expect([await statusOf('p-1'), await statusOf('p-2'), await statusOf('p-3')]).toEqual([
      'successful',
      'successful',
      'pending',
    ]);
  });

  test('a phone sends an approval to the prompt of the named merchant, if two use one reference', async () => {
    const merchants = ['pub_sandbox_demo', 'pub_sandbox_other'];
    for (const key of merchants)
      await client.attempt(await client.visit('same', { key }), pay.phone('0960000000', 'mtn'));

    await sandbox.control.approve('0960000000', { reference: 'same', merchant: merchants[0]! });

    const stories = merchants.map((merchant) => sandbox.control.collection(merchant, 'same'));
    const statuses = (await Promise.all(stories)).map(({ collection }) => collection?.status);
    expect(statuses).toEqual(['successful', 'pay-offline']);
  });

  test('a phone ignores an approval after the timeout and a decline after an approval (T49)', async () => {
    await sandbox.control.setClock({ mode: 'virtual' });
    await client.attempt(await client.visit('late'), pay.phone('0966666666', 'mtn'));
    await sandbox.control.advance(180);

    expect(await client.control('POST', '/phones/0966666666/approve')).toMatchObject(
      rejected(404, '11'),
    );
    expect(await statusOf('late')).toBe('pending');
    await client.attempt(await client.visit('early'), pay.phone('0971111111', 'airtel'));
    await sandbox.control.approve('0971111111');
    await expect(sandbox.control.decline('0971111111')).rejects.toThrow(ControlError);
    await sandbox.control.advance(10);
    expect(await statusOf('early')).toBe('successful');
  });

  test('a phone lists its prompts and one-time codes', async () => {
    await client.attempt(
      await client.visit('prompt', { bearer: 'customer' }),
      pay.phone('0960000000', 'mtn'),
    );
    await client.attempt(await client.visit('code'), pay.phone('0969999999', 'mtn'));

    expect(await sandbox.control.phone('0960000000')).toMatchObject({
      number: '0960000000',
      networkName: 'MTN',
      out: [
        {
          kind: 'prompt',
          reference: 'prompt',
          merchantName: 'Kabwata Market',
          total: '10.25',
          currency: 'ZMW',
          code: null,
        },
      ],
    });
    expect((await sandbox.control.phone('+260 969 999 999')).out).toMatchObject([
      { kind: 'one-time-code', code: '000000' },
    ]);
  });

  async function statusOf(reference: string): Promise<string> {
    return (await client.collection(reference)).status;
  }
});

describe('webhooks and the clock', () => {
  let receiver: Server;
  let respondWith: (respond: (status: number) => void) => void = (respond) => respond(200);

  beforeAll(async () => {
    receiver = createServer((_req, res) =>
      respondWith((status) => res.writeHead(status).end('noted')),
    );
    await new Promise<void>((resolve) => {
      receiver.listen(0, '127.0.0.1', resolve);
    });
  });
  afterAll(() => receiver.close());
  const url = () => `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;

  test("the clock rejects an advance from a receiver's handler without blocking anything (T58)", async () => {
    await sandbox.control.putMerchant('pub_sandbox_demo', { webhookUrl: url() });
    await sandbox.control.setClock({ mode: 'virtual' });
    await client.attempt(await client.visit('nested'), pay.phone('0971111111', 'airtel'));
    let nested: unknown;
    respondWith = (respond) =>
      void client.control('POST', '/clock/advance', { seconds: 1 }).then((response) => {
        nested = response;
        respond(200);
      });

    await sandbox.control.advance(5);

    expect(nested).toMatchObject(rejected(400, '01'));
    expect(JSON.stringify(nested)).toContain('or wait for the other advance');
    expect(await sandbox.control.webhooks()).toMatchObject([
      { status: 'acknowledged', attempts: [{ status: 200 }] },
    ]);
  });

  test('a receiver may call the service while it handles a webhook (T58)', async () => {
    await sandbox.control.putMerchant('pub_sandbox_demo', { webhookUrl: url() });
    await sandbox.control.setClock({ mode: 'virtual' });
    await client.attempt(await client.visit('back'), pay.phone('0971111111', 'airtel'));
    let seen: string | undefined;
    respondWith = (respond) =>
      void client.collection('back').then((collection) => {
        seen = collection.status;
        respond(201);
      });

    await sandbox.control.advance(3);

    expect(seen).toBe('successful');
  });
});
