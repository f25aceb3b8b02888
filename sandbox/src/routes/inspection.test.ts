import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';

import { type Sandbox, startSandbox } from '../app/start.ts';
import { pay, rejected, TestClient } from '../test/client.ts';

let sandbox: Sandbox;
let receiver: Server;
const client = new TestClient(() => sandbox);
const demo = 'pub_sandbox_demo';

beforeAll(async () => {
  sandbox = await startSandbox();
  receiver = createServer((_req, res) => res.end('noted')).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
});
afterAll(async () => {
  receiver.close();
  await sandbox.close();
});
beforeEach(async () => {
  await sandbox.control.reset();
  await sandbox.control.setClock({ mode: 'virtual', now: '2031-01-01T00:00:00.000Z' });
});

describe("a collection's story", () => {
  const storyOf = async (reference: string) =>
    (await sandbox.control.collection(demo, reference)).story;

  test('the story lists in order how a payment was declined, paid, announced and settled', async () => {
    await sandbox.control.putMerchant(demo, {
      webhookUrl: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`,
    });
    await client.merchant('/collections/status/order-1');
    const visitor = await client.visit('order-1');
    await client.attempt(visitor, pay.card('4000000000009995'));
    await client.attempt(visitor, pay.phone('0961111111', 'mtn'));
    await sandbox.control.advance(5);
    await client.merchant('/collections/status/order-1');

    expect((await storyOf('order-1')).map(({ kind, summary }) => `${kind}: ${summary}`)).toEqual([
      'request: Verify a payment by its reference → 404: No collection has this reference.',
      'session: The customer opened a session to pay 10.00 ZMW.',
      'request: Open or resume a session → 201.',
      'attempt: Attempt 1 by card began: visa •• 9995 is being charged.',
      'state: The collection began as pending.',
      'attempt: Attempt 1 was declined: Not enough funds.',
      'request: Start an attempt with a card or a phone → 200.',
      'attempt: Attempt 2 by mobile money began: prompt sent to 0961111111.',
      'state: The collection went from pending to pay-offline.',
      'request: Start an attempt with a card or a phone → 200.',
      'attempt: Attempt 2 was successful.',
      'state: The collection went from pay-offline to successful.',
      'session: The customer paid, and the session ended.',
      'settlement: The service plans a settlement of 9.75 ZMW: instant, due at 2031-01-01T00:00:04.000Z.',
      'delivery: The webhook collection.successful is on its way.',
      'delivery: The webhook collection.successful was sent (attempt 1) and acknowledged with 200.',
      'settlement: The service settled 9.75 ZMW to the merchant.',
      'request: Verify a payment by its reference → 200: successful.',
    ]);
    const { collection, session, attempts, deliveries, merchantName, story } =
      await sandbox.control.collection(demo, 'order-1');
    expect(collection).toEqual(await client.collection('order-1'));
    expect(merchantName).toBe('Kabwata Market');
    expect(session).toEqual({
      status: 'successful',
      amount: '10.00',
      currency: 'ZMW',
      email: 'ada@shop.example',
      expiresAt: '2031-01-01T00:30:00.000Z',
      attemptsLeft: 0,
    });
    expect(attempts).toMatchObject([
      {
        channel: 'card',
        status: 'declined',
        reasonForFailure: 'Not enough funds',
        instrument: 'visa •• 9995',
      },
      {
        channel: 'mobile-money',
        status: 'successful',
        reasonForFailure: null,
        instrument: '0961111111',
      },
    ]);
    expect(deliveries).toMatchObject([
      { event: 'collection.successful', status: 'acknowledged', reference: 'order-1' },
    ]);
    expect(story.find(({ kind }) => kind === 'request')!.detail).toEqual({
      method: 'GET',
      path: '/access/v2/collections/status/:reference',
      status: 404,
    });
    expect(
      story.every(({ merchant, reference }) => merchant === demo && reference === 'order-1'),
    ).toBe(true);
  });

  test('the story names codes, extensions, timeouts and a webhook without a receiver', async () => {
    await sandbox.control.putMerchant(demo, {
      webhookUrl: 'http://127.0.0.1:9/',
      events: ['collection.failed'],
    });
    const visitor = await client.visit('order-2');
    const { id } = (await client.attempt(visitor, pay.phone('0969999999', 'mtn'))).json.data
      .attempt;
    await client.enterCode(visitor, id, '111111');
    await sandbox.control.advance(10 * 60);
    await sandbox.control.advance(21 * 60);

    const summaries = (await storyOf('order-2'))
      .filter(({ kind }) => kind !== 'request')
      .map(({ summary }) => summary);
    expect(summaries.slice(1)).toEqual([
      'Attempt 1 by mobile money began: one-time code sent to 0969999999.',
      'The collection began as otp-required.',
      'Attempt 1 got a wrong one-time code: 2 tries are left.',
      'Attempt 1 was declined: One-time code not entered in time.',
      'The collection went from otp-required to pending.',
      'The collection went from pending to failed: One-time code not entered in time.',
      'The session ended without a payment.',
      'The webhook collection.failed is on its way.',
      expect.stringMatching(
        /^The webhook collection.failed was sent \(attempt 1\) and not acknowledged. Could not be delivered: \w+. The next attempt is at 2031-01-01T01:00:00.000Z.$/,
      ),
    ]);
  });

  test('the story names who answered a prompt or challenge, and what was sent twice', async () => {
    const visitor = await client.visit('order-6');
    await client.attempt(visitor, pay.phone('0960000000', 'mtn'));
    await client.attempt(visitor, pay.card('4242424242424242'));
    await sandbox.control.decline('0960000000');
    const { challengeUrl } = (await client.attempt(visitor, pay.card('4000000000003220'))).json.data
      .attempt;
    await client.call(challengeUrl, { method: 'POST', body: { answer: 'approve' } });

    const steps = (await storyOf('order-6')).filter(
      ({ kind }) => kind === 'attempt' || kind === 'control',
    );
    expect(steps.map(({ kind, summary }) => `${kind}: ${summary}`)).toEqual([
      'attempt: Attempt 1 by mobile money began: prompt sent to 0960000000.',
      'attempt: The customer sent another attempt while attempt 1 was running. It never begins.',
      'control: Someone declined the prompt of attempt 1 on 0960000000.',
      'attempt: Attempt 1 was declined: Transaction unauthorized.',
      'attempt: Attempt 2 by card began: the bank of visa •• 3220 asks for a verification.',
      'attempt: Someone approved the card verification of attempt 2.',
      'attempt: Attempt 2 was successful.',
    ]);
  });

  test('the story shows only the session before the first attempt (D35), and nothing for an unknown reference', async () => {
    await client.visit('order-3');

    expect(await sandbox.control.collection(demo, 'order-3')).toMatchObject({
      collection: null,
      attempts: [],
      session: { status: 'open' },
    });
    expect(await client.control('GET', `/collections/${demo}/order-4`)).toMatchObject(
      rejected(404, '11'),
    );
    expect(await client.control('GET', '/collections/pub_sandbox_other/order-3')).toMatchObject(
      rejected(404, '11'),
    );
  });

  test('the story contains no token, card number, code or unparsed input (T41, T45)', async () => {
    const visitor = await client.visit('order-5');
    await client.attempt(visitor, pay.card('4000000000009995'));
    await client.attempt(visitor, pay.card('4111111111111111'));
    await client.call('/access/v2/collections/4111111111111111?token=sec_sandbox_demo');
    await client.merchant('/collections/4111111111111111');
    await client.call(`/checkout/v1/sessions/${visitor.token}?canary`, { method: 'POST' });
    const { id } = (await client.attempt(visitor, pay.phone('0969999999', 'mtn'))).json.data
      .attempt;
    await client.enterCode(visitor, id, '918273');

    const all = JSON.stringify(await everything());

    for (const canary of [
      '4000000000009995',
      '4111111111111111',
      visitor.token,
      'sec_sandbox',
      '918273',
      'canary',
      '"123"',
    ]) {
      expect(all, canary).not.toContain(canary);
    }
  });

  async function everything(): Promise<unknown[]> {
    const news = [];
    const { story } = await sandbox.control.collection(demo, 'order-5');
    await sandbox.control.clearFaults();
    for await (const one of sandbox.control.events({ after: story[0]!.seq - 1 })) {
      news.push(one);
      if (typeof one !== 'string' && one.summary === 'A control call switched every fault off.')
        break;
    }
    return news;
  }
});

describe('the list of collections', () => {
  const referencesOf = async (wanted: object) =>
    (await sandbox.control.collections(wanted)).rows.map(({ reference }) => reference);

  beforeEach(async () => {
    await sandbox.control.putCollection({
      reference: 'a-1',
      id: 'aaaaaaaa-0000-4000-8000-000000000001',
      initiatedAt: '2026-01-01T00:00:00.000Z',
    });
    await sandbox.control.putCollection({
      reference: 'Z-2',
      id: 'aaaaaaaa-0000-4000-8000-000000000002',
      merchant: 'pub_sandbox_other',
      initiatedAt: '2026-01-03T00:00:00.000Z',
    });
    await sandbox.control.putCollection({
      reference: 'a-3',
      id: 'aaaaaaaa-0000-4000-8000-000000000003',
      initiatedAt: '2026-01-02T00:00:00.000Z',
      type: 'card',
      status: 'failed',
      reasonForFailure: 'Card declined',
      serviceReference: '987654321',
    });
  });

  test("the list has every merchant's collections, newest first", async () => {
    const { rows, meta } = await sandbox.control.collections();

    expect(meta).toEqual({ total: 3, perPage: 50, currentPage: 1, pageCount: 1 });
    expect(rows.map(({ reference }) => reference)).toEqual(['Z-2', 'a-3', 'a-1']);
    expect(rows[1]).toEqual({
      merchant: demo,
      merchantName: 'Kabwata Market',
      reference: 'a-3',
      id: rows[1]!.id,
      amount: '10.00',
      currency: 'ZMW',
      type: 'card',
      status: 'failed',
      initiatedAt: '2026-01-02T00:00:00.000Z',
      completedAt: '2031-01-01T00:00:00.000Z',
      reasonForFailure: 'Card declined',
      instrument: 'visa •• 4242',
    });
    expect(rows[0]).toMatchObject({ merchantName: 'Other Shop', instrument: '0971111111' });
  });

  test('the list searches what people look for, in any case, and filters', async () => {
    const { id } = await client.collection('a-1');

    expect(await referencesOf({ search: 'z-' })).toEqual(['Z-2']);
    expect(await referencesOf({ search: id.toUpperCase() })).toEqual(['a-1']);
    expect(await referencesOf({ search: ' 876543 ' })).toEqual(['a-3']);
    expect(await referencesOf({ search: '4242' })).toEqual(['a-3']);
    expect(await referencesOf({ search: '0971111111' })).toEqual(['Z-2', 'a-1']);
    expect(await referencesOf({ search: '.' })).toEqual([]);
    expect(await referencesOf({ search: 'initiatedAt' })).toEqual([]);
    expect(await referencesOf({ status: 'failed' })).toEqual(['a-3']);
    expect(await referencesOf({ type: 'mobile-money' })).toEqual(['Z-2', 'a-1']);
    expect(await referencesOf({ merchant: demo, status: '' })).toEqual(['a-3', 'a-1']);
    expect(await referencesOf({ merchant: 'pub_nobody' })).toEqual([]);
  });

  test('the list has pages of 50; a page after the last is empty and has the right total', async () => {
    for (let at = 0; at < 50; at++)
      await sandbox.control.putCollection({ reference: `more-${at}` });

    expect((await referencesOf({ page: 1 })).slice(0, 2)).toEqual(['more-49', 'more-48']);
    expect(await referencesOf({ page: 2 })).toEqual(['Z-2', 'a-3', 'a-1']);
    expect(await sandbox.control.collections({ page: 9 })).toEqual({
      rows: [],
      meta: { total: 53, perPage: 50, currentPage: 9, pageCount: 2 },
    });
  });

  test.each([
    'page=0',
    'page=-1',
    'page=x',
    'page=1&page=2',
    `search=${'x'.repeat(129)}`,
    'search=a&search=b',
    'serach=a',
  ])('the search of collections rejects %s with 400·01', async (query) => {
    const response = await client.control('GET', `/collections?${query}`);

    expect(response).toMatchObject(rejected(400, '01'));
    expect(response.json.data.problems[0].path).toBe(query.split('=')[0]);
  });
});

test('the control API shows the clock with the time of the next event', async () => {
  expect(await sandbox.control.clock()).toEqual({
    mode: 'virtual',
    now: '2031-01-01T00:00:00.000Z',
    nextDueAt: null,
  });
  await client.attempt(await client.visit('due'), pay.phone('0961111111', 'mtn'));

  expect(await sandbox.control.clock()).toMatchObject({ nextDueAt: '2031-01-01T00:00:03.000Z' });
});

test('the control API shows merchants without their tokens', async () => {
  await sandbox.control.putMerchant('pub_mine', { apiToken: 'sec_canary', name: 'Mine' });

  const response = await client.control('GET', '/merchants');

  expect(response.json.data.map(({ publicKey }: { publicKey: string }) => publicKey)).toEqual([
    demo,
    'pub_sandbox_other',
    'pub_mine',
  ]);
  expect(response.json.data[2]).toMatchObject({
    name: 'Mine',
    webhookUrl: null,
    channels: ['card', 'mobile-money'],
  });
  expect(response.text).not.toMatch(/sec_|apiToken/);
});
