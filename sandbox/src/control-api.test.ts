import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';

import { ControlError } from './control.ts';
import { type Sandbox, startSandbox } from './sandbox.ts';
import { pay, TestClient } from './test-client.ts';

let sandbox: Sandbox;
const client = new TestClient(() => sandbox);

beforeAll(async () => {
  sandbox = await startSandbox({ webhookUrl: 'http://localhost:9/webhooks/service-pay' });
});
afterAll(() => sandbox.close());
beforeEach(() => sandbox.control.reset());

const refused = (status: number, errorCode: string) => ({
  status,
  json: { status: false, errorCode, message: expect.stringMatching(/./) },
});

describe('placing collections', () => {
  test('only the reference is required; the rest is as in the shown case', async () => {
    const answer = await client.control('POST', '/collections', { reference: 'placed' });

    expect(answer.status).toBe(201);
    expect(answer.json.data).toMatchObject({
      reference: 'placed',
      amount: '10.00',
      fee: '0.25',
      currency: 'ZMW',
      status: 'successful',
      type: 'mobile-money',
      bearer: 'merchant',
      source: 'api',
      completedAt: expect.any(String),
      settlementStatus: 'settled',
      settlement: { amountSettled: '9.75', status: 'settled', type: 'instant', settledAt: expect.any(String) },
      mobileMoneyDetails: {
        country: 'zm',
        phone: '0971111111',
        operator: 'airtel',
        accountName: 'TEST PAYER',
        operatorTransactionId: expect.any(String),
      },
      cardDetails: null,
    });
    expect((await client.merchant('/collections/status/placed')).json.data).toEqual(answer.json.data);
    expect(await sandbox.control.webhooks()).toEqual([]);
  });

  test('what is given stands: card, other states, words of tomorrow, partial details', async () => {
    const card = await sandbox.control.putCollection({ reference: 'card', type: 'card', amount: '20.5', bearer: 'customer' });
    const pending = await sandbox.control.putCollection({ reference: 'pending', status: 'pending' });
    const failed = await sandbox.control.putCollection({ reference: 'failed', status: 'failed', reasonForFailure: 'Incorrect Pin' });
    const odd = await sandbox.control.putCollection({ reference: 'odd', status: 'refunded', mobileMoneyDetails: { operator: 'mtn' } });

    expect(card).toMatchObject({
      amount: '20.5',
      mobileMoneyDetails: null,
      cardDetails: { last4: '4242' },
      settlement: { amountSettled: '20.50' },
    });
    expect(pending).toMatchObject({ completedAt: null, fee: null, settlement: null, settlementStatus: null });
    expect(failed).toMatchObject({ status: 'failed', reasonForFailure: 'Incorrect Pin', settlement: null });
    expect(odd).toMatchObject({ status: 'refunded', mobileMoneyDetails: { operator: 'mtn', country: 'zm' } });
  });

  test('a reference or id that is taken is 400·04; a bad one 400·01; an unknown merchant 404·11', async () => {
    const { id } = await sandbox.control.putCollection({ reference: 'taken' });

    expect(await client.control('POST', '/collections', { reference: 'taken' })).toMatchObject(refused(400, '04'));
    expect(await client.control('POST', '/collections', { reference: 'other', id })).toMatchObject(refused(400, '04'));
    expect(await client.control('POST', '/collections', { reference: '..' })).toMatchObject(refused(400, '01'));
    expect(await client.control('POST', '/collections', {})).toMatchObject(refused(400, '01'));
    expect(await client.control('POST', '/collections', { reference: 'other', merchant: 'pub_nobody' })).toMatchObject(refused(404, '11'));
    expect((await client.control('POST', '/collections', { reference: 'taken', merchant: 'pub_sandbox_other' })).status).toBe(201);
  });

  test('the popup finds a placed success paid (D18), any other over (D19)', async () => {
    await sandbox.control.putCollection({ reference: 'paid' });
    await sandbox.control.putCollection({ reference: 'failed', status: 'failed' });

    expect((await client.visit('paid')).session).toMatchObject({ status: 'successful' });
    expect(await client.openSession('failed')).toMatchObject(refused(400, '04'));
  });

  test('notify sends the event', async () => {
    await sandbox.control.putCollection({ reference: 'told', notify: true });

    expect(await sandbox.control.webhooks()).toMatchObject([{ event: 'collection.successful', reference: 'told' }]);
  });
});

describe('the clock', () => {
  test.each([-1, '60', 1e12, null, {}, undefined])('advance by %j is 400·01 (T59)', async (seconds) => {
    expect(await client.control('POST', '/clock/advance', { seconds })).toMatchObject(refused(400, '01'));
  });

  test('NaN is no JSON, an earlier now and a real clock with a now are refused (T59)', async () => {
    const raw = { method: 'POST', body: '{"seconds":NaN}', headers: { 'content-type': 'application/json' } };
    expect(await client.call('/_sandbox/clock/advance', raw)).toMatchObject(refused(400, '01'));
    expect(await client.control('PUT', '/clock', { mode: 'virtual', now: '2020-01-01T00:00:00.000Z' })).toMatchObject(refused(400, '01'));
    expect(await client.control('PUT', '/clock', { mode: 'real', now: '2090-01-01T00:00:00.000Z' })).toMatchObject(refused(400, '01'));
    expect(await client.control('PUT', '/clock', { mode: 'stopped' })).toMatchObject(refused(400, '01'));
    expect(await client.control('PUT', '/clock', { mode: 'virtual', now: 'tomorrow' })).toMatchObject(refused(400, '01'));
  });

  test('stands still when virtual, moves when told, goes on when real, goes back by reset alone (T59)', async () => {
    const { now } = await sandbox.control.setClock({ mode: 'virtual', now: '2090-01-01T00:00:00.000Z' });
    expect(now).toBe('2090-01-01T00:00:00.000Z');
    expect(await sandbox.control.advance(1.5)).toEqual({ mode: 'virtual', now: '2090-01-01T00:00:01.500Z' });
    expect((await client.visit('then')).session.now).toBe('2090-01-01T00:00:01.500Z');

    const real = await sandbox.control.setClock({ mode: 'real' });
    expect(real.mode).toBe('real');
    expect(real.now >= '2090-01-01T00:00:01.500Z').toBe(true);
    await sandbox.control.reset();
    expect((await client.visit('now')).session.now < '2090').toBe(true);
  });

  test('two advances queue (T59)', async () => {
    const { now } = await sandbox.control.setClock({ mode: 'virtual' });

    await Promise.all([sandbox.control.advance(10), sandbox.control.advance(20)]);

    expect(Date.parse((await sandbox.control.advance(0)).now) - Date.parse(now)).toBe(30_000);
  });

  test('a day over prompts, session ends and settlements gives the same list of events each time (T60)', async () => {
    const run = async () => {
      await sandbox.control.reset();
      await sandbox.control.putMerchant('pub_sandbox_demo', {
        events: ['collection.successful', 'collection.failed', 'collection.settled'],
      });
      await sandbox.control.setClock({ mode: 'virtual', now: '2030-01-01T00:00:00.000Z' });
      for (const [at, phone] of ['0971111111', '0972222222', '0977777777', '0971111111'].entries()) {
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

describe('phones', () => {
  test('each answer goes to one prompt, the newest or the one named; nothing out is 404·11 (T49)', async () => {
    for (const reference of ['p-1', 'p-2', 'p-3']) await client.attempt(await client.visit(reference), pay.phone('0960000000', 'mtn'));

    expect(await sandbox.control.approve('+260 96 000 0000', 'p-1')).toBe('p-1');
    expect(await sandbox.control.decline('960000000')).toBe('p-3');
    expect(await sandbox.control.approve('0960000000')).toBe('p-2');

    expect(await client.control('POST', '/phones/0960000000/approve')).toMatchObject(refused(404, '11'));
    expect(await client.control('POST', '/phones/0960000000/approve', { reference: 'p-1' })).toMatchObject(refused(404, '11'));
    expect(await client.control('POST', '/phones/nobody/approve')).toMatchObject(refused(400, '12'));
    expect([await statusOf('p-1'), await statusOf('p-2'), await statusOf('p-3')]).toEqual(['successful', 'successful', 'pending']);
  });

  test('approval after the time-out and decline after approve move nothing (T49)', async () => {
    await sandbox.control.setClock({ mode: 'virtual' });
    await client.attempt(await client.visit('late'), pay.phone('0966666666', 'mtn'));
    await sandbox.control.advance(180);

    expect(await client.control('POST', '/phones/0966666666/approve')).toMatchObject(refused(404, '11'));
    expect(await statusOf('late')).toBe('pending');
    await client.attempt(await client.visit('early'), pay.phone('0971111111', 'airtel'));
    await sandbox.control.approve('0971111111');
    await expect(sandbox.control.decline('0971111111')).rejects.toThrow(ControlError);
    await sandbox.control.advance(10);
    expect(await statusOf('early')).toBe('successful');
  });

  test('the handset shows prompts and one-time codes', async () => {
    await client.attempt(await client.visit('prompt', { bearer: 'customer' }), pay.phone('0960000000', 'mtn'));
    await client.attempt(await client.visit('code'), pay.phone('0969999999', 'mtn'));

    expect((await client.control('GET', '/phones/0960000000')).json.data).toMatchObject({
      number: '0960000000',
      networkName: 'MTN',
      out: [{ kind: 'prompt', reference: 'prompt', merchantName: 'Demo Shop', total: '10.25', currency: 'ZMW', code: null }],
    });
    expect((await client.control('GET', '/phones/0969999999')).json.data.out).toMatchObject([{ kind: 'one-time-code', code: '000000' }]);
  });

  async function statusOf(reference: string): Promise<string> {
    return (await client.collection(reference)).status;
  }
});

describe('merchants', () => {
  test('settings given change, others stay; the token is never shown', async () => {
    const answer = await client.control('PUT', '/merchants/pub_sandbox_demo', { name: 'Tea House', bearer: 'customer' });

    expect(answer.json.data).toMatchObject({
      name: 'Tea House',
      bearer: 'customer',
      defaultCurrency: 'ZMW',
      webhookUrl: 'http://localhost:9/webhooks/service-pay',
    });
    expect(answer.text).not.toContain('sec_sandbox_demo');
  });

  test('a new merchant needs a token of its own', async () => {
    expect(await client.control('PUT', '/merchants/pub_new', { name: 'New' })).toMatchObject(refused(400, '01'));
    expect(await client.control('PUT', '/merchants/pub_new', { apiToken: 'sec_sandbox_demo' })).toMatchObject(refused(400, '01'));
    expect((await client.control('PUT', '/merchants/pub_new', { apiToken: 'sec_of_the_new' })).status).toBe(200);

    expect((await client.merchant('/collections', 'sec_of_the_new')).status).toBe(200);
    expect((await client.openSession('new', { key: 'pub_new' })).status).toBe(201);
  });

  test.each([
    { webhookUrl: 'file:///etc/passwd' },
    { webhookUrl: 'http://user:pw@localhost/' },
    { webhookUrl: 'http://169.254.169.254/latest' },
    { webhookUrl: 'https://shop.example/hook' },
    { allowedOrigins: ['https://shop.example/path'] },
    { allowedOrigins: ['https://shop.example; script-src *'] },
    { allowedOrigins: ['null'] },
    { channels: [] },
    { bearer: 'bank' },
    { events: ['collection.lost'] },
    { defaultCurrency: 'zmw' },
    { name: '' },
    { apiToken: 'two words' },
  ])('%j is 400·01 (T57)', async (settings) => {
    expect(await client.control('PUT', '/merchants/pub_sandbox_demo', settings)).toMatchObject(refused(400, '01'));
  });

  test('a secret is no public key', async () => {
    expect(await client.control('PUT', '/merchants/sec_oops', { apiToken: 'sec_of_the_new' })).toMatchObject(refused(400, '01'));
  });

  test('a reset restores them as at start, webhook URL included', async () => {
    await sandbox.control.putMerchant('pub_sandbox_demo', { apiToken: 'sec_renewed_token', webhookUrl: null });
    await sandbox.control.putMerchant('pub_new', { apiToken: 'sec_of_the_new' });

    await sandbox.control.reset();

    expect((await client.merchant('/collections')).status).toBe(200);
    expect((await client.merchant('/collections', 'sec_of_the_new')).status).toBe(401);
    expect((await sandbox.control.putMerchant('pub_sandbox_demo', {})).webhookUrl).toBe('http://localhost:9/webhooks/service-pay');
  });
});

describe('who may call', () => {
  const json = { 'content-type': 'application/json' };

  test.each([
    ['a foreign origin', { origin: 'https://evil.example' }, '13', 401],
    ['another local port', { origin: 'http://localhost:1' }, '13', 401],
    ['an opaque origin', { origin: 'null' }, '13', 401],
    ['a cross-site page', { 'sec-fetch-site': 'cross-site' }, '13', 401],
    ['a same-site page', { 'sec-fetch-site': 'same-site' }, '13', 401],
    ['a rebound name', { host: 'evil.example' }, '13', 401],
    ['a proxy', { 'x-forwarded-for': '10.0.0.1' }, '13', 401],
    ['a proxy', { forwarded: 'for=10.0.0.1' }, '13', 401],
    ['a proxy', { via: '1.1 proxy' }, '13', 401],
    ['a form', { 'content-type': 'text/plain' }, '01', 415],
  ])('%s is refused and nothing changes (T54, T55)', async (_, headers, errorCode, status) => {
    await sandbox.control.putCollection({ reference: 'stays' });

    const answer = await client.call('/_sandbox/reset', {
      method: 'POST',
      body: '{}',
      headers: { ...json, ...headers } as Record<string, string>,
    });

    expect(answer).toMatchObject(refused(status, errorCode));
    expect(await client.collection('stays')).toMatchObject({ status: 'successful' });
  });

  test('no preflight is granted, no answer may be read by another origin (T55)', async () => {
    const headers = {
      origin: 'https://evil.example',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'content-type',
    };
    const answer = await client.call('/_sandbox/reset', { method: 'OPTIONS', headers });

    expect(answer).toMatchObject(refused(404, '11'));
    expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control-'))).toEqual([]);
  });

  test('its own pages and programs pass', async () => {
    const own = { origin: sandbox.url, 'sec-fetch-site': 'same-origin' };

    expect((await client.call('/_sandbox/reset', { method: 'POST', headers: own })).status).toBe(200);
    expect((await client.call('/_sandbox/reset', { method: 'POST' })).status).toBe(200);
  });

  test('unknown calls and wrong methods are 404·11', async () => {
    expect(await client.control('GET', '/reset')).toMatchObject(refused(404, '11'));
    expect(await client.control('POST', '/nothing', {})).toMatchObject(refused(404, '11'));
  });
});

describe('faults', () => {
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
});

describe('webhooks and the clock', () => {
  let receiver: Server;
  let answerWith: (respond: (status: number) => void) => void = (respond) => respond(200);

  beforeAll(async () => {
    receiver = createServer((_req, res) => answerWith((status) => res.writeHead(status).end('noted')));
    await new Promise<void>((resolve) => {
      receiver.listen(0, '127.0.0.1', resolve);
    });
  });
  afterAll(() => receiver.close());
  const url = () => `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;

  test("an advance called from a receiver's handler is refused and holds nothing up (T58)", async () => {
    await sandbox.control.putMerchant('pub_sandbox_demo', { webhookUrl: url() });
    await sandbox.control.setClock({ mode: 'virtual' });
    await client.attempt(await client.visit('nested'), pay.phone('0971111111', 'airtel'));
    let nested: unknown;
    answerWith = (respond) =>
      void client.control('POST', '/clock/advance', { seconds: 1 }).then((answer) => {
        nested = answer;
        respond(200);
      });

    await sandbox.control.advance(5);

    expect(nested).toMatchObject(refused(400, '01'));
    expect(await sandbox.control.webhooks()).toMatchObject([{ status: 'acknowledged', attempts: [{ status: 200 }] }]);
  });

  test('a receiver may call the service back while it is asked (T58)', async () => {
    await sandbox.control.putMerchant('pub_sandbox_demo', { webhookUrl: url() });
    await sandbox.control.setClock({ mode: 'virtual' });
    await client.attempt(await client.visit('back'), pay.phone('0971111111', 'airtel'));
    let seen: string | undefined;
    answerWith = (respond) =>
      void client.collection('back').then((collection) => {
        seen = collection.status;
        respond(201);
      });

    await sandbox.control.advance(3);

    expect(seen).toBe('successful');
  });
});
