import { once } from 'node:events';
import { request } from 'node:http';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Sandbox } from '../app/start.ts';
import { History } from '../storage/history.ts';
import { type CallResponse, pay, rejected, TestClient, type Visitor } from '../test/client.ts';
import { deliverTo, eventOf, fits, TestReceiver } from '../test/receiver.ts';
import { Clock } from '../time/clock.ts';
import { OLD_SCENARIO_NAMES, SCENARIOS } from './scenario-table.ts';
import { Scenarios } from './scenarios.ts';

const DAY_S = 24 * 60 * 60;
const CARD = '4242424242424242';
const PHONE = ['0962222222', 'mtn'] as const;

let sandbox: Sandbox;
const receiver = new TestReceiver();
const client = new TestClient(() => sandbox);

deliverTo(receiver, (started) => {
  sandbox = started;
});

const payByCard = async (reference: string): Promise<Visitor> => {
  const visitor = await client.visit(reference);
  await client.attempt(visitor, pay.card(CARD));
  await sandbox.control.advance(0);
  return visitor;
};
const verify = (reference: string): Promise<CallResponse> =>
  client.merchant(`/collections/status/${reference}`);
const statusOf = async (reference: string) => (await client.collection(reference))?.status;
const events = () => receiver.received.map(eventOf);
const popup = async (visitor: Visitor) => (await client.look(visitor)).json.data;

const PLAYS: Record<string, (reference: string) => Promise<void>> = {
  async 'webhook-lost'(reference) {
    await payByCard(reference);
    await sandbox.control.advance(2 * DAY_S);

    expect(receiver.received).toEqual([]);
    expect(await statusOf(reference)).toBe('successful');
    const [delivery] = await sandbox.control.webhooks();
    expect(delivery).toMatchObject({
      status: 'dropped',
      reference,
      faults: [expect.stringContaining('drops')],
    });
    await sandbox.control.replayWebhook(delivery!.id);
    expect(receiver.received.map(fits)).toEqual([true]);
  },
  async 'webhook-late'(reference) {
    await payByCard(reference);
    await sandbox.control.advance(599);
    expect(receiver.received).toEqual([]);

    await sandbox.control.advance(1);

    expect(events()).toEqual(['collection.successful']);
  },
  async 'webhook-duplicate'(reference) {
    await payByCard(reference);
    await sandbox.control.advance(DAY_S);

    expect(receiver.received).toHaveLength(2);
    expect(receiver.received[1]).toMatchObject({ body: receiver.received[0]!.body });
    expect(receiver.received.every(fits)).toBe(true);
  },
  async 'webhook-storm'(reference) {
    await payByCard(reference);

    expect(receiver.received).toHaveLength(100);
    expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1);
  },
  async 'webhook-out-of-order'(reference) {
    await payByCard(reference);
    expect(receiver.received).toEqual([]);

    await sandbox.control.advance(DAY_S);

    expect(events()).toEqual(['collection.settled', 'collection.successful']);
    expect(receiver.received.every(fits)).toBe(true);
  },
  async 'webhook-tampered'(reference) {
    await payByCard(reference);

    expect(receiver.received.map(fits)).toEqual([false]);
    expect(JSON.parse(receiver.received[0]!.body).data.amount).not.toBe('10.00');
    await retriedOnceItFits();
  },
  async 'webhook-unsigned'(reference) {
    await payByCard(reference);

    expect(
      Object.keys(receiver.received[0]!.headers).filter((name) => name.includes('signature')),
    ).toEqual([]);
    await retriedOnceItFits();
  },
  async 'webhook-old-token'(reference) {
    await payByCard(reference);

    expect(receiver.received[0]!.headers['x-servicepay-signature']).toMatch(/^[0-9a-f]{128}$/);
    expect(receiver.received.map(fits)).toEqual([false]);
    await retriedOnceItFits();
  },
  async 'webhook-cut-off'(reference) {
    await payByCard(reference);
    await sandbox.control.advance(30 * 60);
    expect(receiver.received).toEqual([]);

    await sandbox.control.advance(30 * 60);

    expect(receiver.received.map(fits)).toEqual([true]);
    const [delivery] = await sandbox.control.webhooks();
    expect(delivery).toMatchObject({
      status: 'acknowledged',
      attempts: [{ status: null }, { status: null }, { status: 200 }],
    });
    expect(delivery!.attempts[0]).toMatchObject({
      error: expect.stringContaining('cut the request off'),
      faults: [expect.stringContaining('cut')],
    });
  },
  async 'declined-then-paid'(reference) {
    const visitor = await payByCard(reference);
    expect(await popup(visitor)).toMatchObject({
      status: 'open',
      attempt: { status: 'declined', reasonForFailure: 'Not enough funds' },
    });
    expect(await statusOf(reference)).toBe('pending');

    await client.attempt(visitor, pay.phone(...PHONE));
    await sandbox.control.advance(3);

    expect(await popup(visitor)).toMatchObject({ status: 'successful' });
    expect(events()).toEqual(['collection.successful']);
  },
  async 'declined-for-good'(reference) {
    const visitor = await payByCard(reference);
    for (let more = 0; more < 4; more++) await client.attempt(visitor, pay.card(CARD));
    await sandbox.control.advance(0);

    expect(await popup(visitor)).toMatchObject({ status: 'failed', attemptsLeft: 0 });
    expect(await client.collection(reference)).toMatchObject({
      status: 'failed',
      reasonForFailure: 'Transaction unauthorized',
    });
    expect(events()).toEqual(['collection.failed']);
  },
  async 'prompt-times-out'(reference) {
    const visitor = await client.visit(reference);
    await client.attempt(visitor, pay.phone('0971111111', 'airtel'));
    await sandbox.control.advance(179);
    expect(await statusOf(reference)).toBe('pay-offline');

    await sandbox.control.advance(1);

    expect(await popup(visitor)).toMatchObject({
      attempt: { status: 'declined', reasonForFailure: 'Transaction Timed Out' },
    });
    expect(await statusOf(reference)).toBe('pending');
  },
  async 'prompt-approved-late'(reference) {
    await client.attempt(await client.visit(reference), pay.phone(...PHONE));
    await sandbox.control.advance(169);
    expect(await statusOf(reference)).toBe('pay-offline');

    await sandbox.control.advance(1);

    expect(await statusOf(reference)).toBe('successful');
    expect(events()).toEqual(['collection.successful']);
  },
  async 'paid-after-expiry'(reference) {
    await client.attempt(await client.visit(reference), pay.phone(...PHONE));
    await sandbox.control.advance(1859);
    expect(await statusOf(reference)).toBe('pending');

    await sandbox.control.advance(1);

    expect(await statusOf(reference)).toBe('successful');
  },
  async 'verify-pending-long'(reference) {
    await payByCard(reference);
    await sandbox.control.advance(599);
    expect(await statusOf(reference)).toBe('pending');
    expect(receiver.received).toEqual([]);

    await sandbox.control.advance(1);

    expect(await statusOf(reference)).toBe('successful');
  },
  async 'webhook-before-verify'(reference) {
    const visitor = await payByCard(reference);

    expect(await popup(visitor)).toMatchObject({ status: 'successful' });
    expect(events()).toEqual(['collection.successful']);
    expect(await client.collection(reference)).toMatchObject({
      status: 'pending',
      completedAt: null,
      fee: null,
      settlement: null,
    });
    await successfulAfter(reference, 60);
  },
  async 'verify-failed-at-first'(reference) {
    await payByCard(reference);

    expect(await statusOf(reference)).toBe('failed');
    await successfulAfter(reference, 60);
  },
  async 'failed-then-paid'(reference) {
    await payByCard(reference);

    expect(await statusOf(reference)).toBe('failed');
    await successfulAfter(reference, 600);
  },
  async 'paid-twice'(reference) {
    await payByCard(reference);
    expect(await statusOf(reference)).toBe('failed');
    await payByCard(`${reference}-again`);

    expect(await statusOf(`${reference}-again`)).toBe('successful');
    await successfulAfter(reference, 600);
  },
  async 'verify-unknown-status'(reference) {
    await payByCard(reference);

    expect(await statusOf(reference)).toBe('under-review');
    await successfulAfter(reference, 60);
  },
  async 'verify-not-found-at-first'(reference) {
    await payByCard(reference);

    const unknown = await verify('nobody');
    expect(await verify(reference)).toMatchObject({ status: 404, text: unknown.text });
    await successfulAfter(reference, 30);
  },
  async 'verify-unavailable'(reference) {
    await payByCard(reference);

    expect(await verify(reference)).toMatchObject({
      ...rejected(503, '10'),
      headers: { 'retry-after': '30' },
    });
    await successfulAfter(reference, 120);
  },
  async 'verify-rate-limited'(reference) {
    await payByCard(reference);

    expect(await verify(reference)).toMatchObject({
      ...rejected(429, '10'),
      headers: { 'retry-after': '60' },
    });
    await successfulAfter(reference, 60);
  },
  async 'verify-timeout'(reference) {
    await payByCard(reference);

    const silent = request(`${sandbox.url}/access/v2/collections/status/${reference}`, {
      headers: { authorization: 'Bearer sec_sandbox_demo' },
    });
    const outcome = once(silent, 'response').then(
      () => 'responded',
      (error: Error) => error.message,
    );
    silent.end();
    await once(silent, 'finish');
    // Later requests get responses: the call that hangs holds nothing up.
    expect((await client.merchant('/collections')).json.data).toHaveLength(1);
    await successfulAfter(reference, 60);
    silent.destroy(new Error('aborted'));
    expect(await outcome).toBe('aborted');
  },
  async 'verify-invalid-json'(reference) {
    await payByCard(reference);

    await expect(verify(reference)).rejects.toThrow(SyntaxError);
    await successfulAfter(reference, 60);
  },
  async 'verify-token-rejected'(reference) {
    await payByCard(reference);

    expect(await verify(reference)).toMatchObject(rejected(401, '09'));
    await successfulAfter(reference, 300);
  },
  async 'verify-other-amount'(reference) {
    await payByCard(reference);
    await sandbox.control.advance(DAY_S);

    expect(await client.collection(reference)).toMatchObject({
      status: 'successful',
      amount: '0.01',
      currency: 'ZMW',
    });
  },
  async 'verify-other-currency'(reference) {
    await payByCard(reference);
    await sandbox.control.advance(DAY_S);

    expect(await client.collection(reference)).toMatchObject({
      status: 'successful',
      amount: '10.00',
      currency: 'XAF',
    });
  },
};

async function retriedOnceItFits(): Promise<void> {
  await sandbox.control.advance(30 * 60);
  expect(receiver.received.map(fits)).toEqual([false, true]);
  expect(await sandbox.control.webhooks()).toMatchObject([
    {
      status: 'acknowledged',
      attempts: [
        { status: 401, faults: [expect.stringMatching(/./)] },
        { status: 200, faults: [] },
      ],
    },
  ]);
}

async function successfulAfter(reference: string, seconds: number): Promise<void> {
  await sandbox.control.advance(seconds);
  expect(await client.collection(reference)).toMatchObject({
    status: 'successful',
    amount: '10.00',
  });
}

describe('every scenario, as a shop sees it', () => {
  beforeEach(() => {
    receiver.respond = receiver.checkSignature;
  });

  test.each(SCENARIOS.map(({ name }) => name))(
    'a shop sees what the scenario %s promises',
    async (name) => {
      expect(await sandbox.control.armScenario(name)).toEqual({ armed: name, armedFor: null });

      await PLAYS[name]!(`played-${name}`);
    },
  );

  test.each(SCENARIOS.map(({ name }) => name))('%s affects only one payment', async (name) => {
    await sandbox.control.armScenario(name);
    await payByCard('first');
    receiver.received = [];

    await payByCard('second');

    expect(await client.collection('second')).toMatchObject({
      status: 'successful',
      amount: '10.00',
      currency: 'ZMW',
    });
    expect(receiver.received.map(fits)).toEqual([true]);
    expect((await sandbox.control.scenarios()).armed).toBeNull();
  });
});

describe('arming a scenario', () => {
  afterEach(() => sandbox.control.disarmScenario());

  test('an armed scenario applies to the first attempt of a payment, not to a new session or a payment under way', async () => {
    const before = await client.visit('under-way');
    await client.attempt(before, pay.card('4000000000000002'));
    await sandbox.control.armScenario('webhook-lost');
    await client.visit('looked-at');

    await client.attempt(before, pay.card(CARD));
    await sandbox.control.advance(0);
    expect(events()).toEqual(['collection.successful']);
    expect((await sandbox.control.scenarios()).armed).toBe('webhook-lost');

    await payByCard('looked-at');
    expect(receiver.received).toHaveLength(1);
    expect((await sandbox.control.scenarios()).armed).toBeNull();
  });

  test('an armed scenario survives a rejected attempt', async () => {
    await sandbox.control.armScenario('declined-then-paid');
    const visitor = await client.visit('rejected');

    expect(await client.attempt(visitor, pay.card('4111111111111111'))).toMatchObject(
      rejected(400, '01'),
    );
    expect((await sandbox.control.scenarios()).armed).toBe('declined-then-paid');
  });

  test('an armed scenario applies to one merchant if given, and replaces the one armed before', async () => {
    await sandbox.control.armScenario('webhook-late');
    expect(
      await sandbox.control.armScenario('declined-then-paid', { merchant: 'pub_sandbox_other' }),
    ).toEqual({
      armed: 'declined-then-paid',
      armedFor: 'pub_sandbox_other',
    });
    await payByCard('demo');
    expect(await statusOf('demo')).toBe('successful');

    const other = await client.visit('other', { key: 'pub_sandbox_other' });
    await client.attempt(other, pay.card(CARD));

    expect(await popup(other)).toMatchObject({ status: 'open', attempt: { status: 'declined' } });
  });

  test.each(['4000000000003220', '4000000000000002', '4000000000000077'])(
    'an armed scenario overrides the outcome of the test card %s, challenges included',
    async (number) => {
      await sandbox.control.armScenario('declined-then-paid');
      const visitor = await client.visit('override');

      const { attempt } = (await client.attempt(visitor, pay.card(number))).json.data;

      expect(attempt).toMatchObject({
        status: 'declined',
        reasonForFailure: 'Not enough funds',
        challengeUrl: null,
      });
    },
  );

  test('an armed scenario sends a prompt instead of a one-time code, and a person may answer it first', async () => {
    await sandbox.control.armScenario('prompt-times-out');
    await client.attempt(await client.visit('by-hand'), pay.phone('0969999999', 'mtn'));
    expect(await statusOf('by-hand')).toBe('pay-offline');

    await sandbox.control.approve('0969999999');

    expect(await statusOf('by-hand')).toBe('successful');
  });

  test('an armed scenario ends when disarmed or reset', async () => {
    await sandbox.control.armScenario('webhook-lost');
    expect((await client.control('DELETE', '/scenarios')).json.data).toEqual({
      armed: null,
      armedFor: null,
    });
    await sandbox.control.armScenario('webhook-lost');
    await sandbox.control.reset();

    expect((await sandbox.control.scenarios()).armed).toBeNull();
    await payByCard('plain');
    expect(events()).toEqual(['collection.successful']);
  });

  test('arming fails with 404·11 and the names of all scenarios for an unknown name, and 400·01 for an unknown member', async () => {
    const unknown = await client.control('POST', '/scenarios/webhook-eaten');
    expect(unknown).toMatchObject(rejected(404, '11'));
    for (const { name } of SCENARIOS) expect(unknown.json.message).toContain(name);
    expect(unknown.json.message).not.toContain('eaten');

    expect(
      await client.control('POST', '/scenarios/webhook-lost', { merchant: 'pub_nobody' }),
    ).toMatchObject(rejected(404, '11'));
    expect(await client.control('POST', '/scenarios/webhook-lost', { for: 'all' })).toMatchObject(
      rejected(400, '01'),
    );
    expect((await sandbox.control.scenarios()).armed).toBeNull();
  });

  test("the control API lists every scenario with summary, steps and the correct shop's behaviour", async () => {
    const { scenarios } = await sandbox.control.scenarios();

    expect(scenarios.map(({ name }) => name)).toEqual(SCENARIOS.map(({ name }) => name));
    expect(new Set(scenarios.map(({ name }) => name)).size).toBe(scenarios.length);
    for (const { summary, steps, shop } of scenarios) {
      for (const sentence of [summary, shop, ...steps]) expect(sentence).toMatch(/^[A-Z].+\.$/s);
      expect(steps.length).toBeGreaterThan(1);
    }
  });

  test('a scenario is armed, too, by its name of version 0.2', async () => {
    for (const [old, name] of Object.entries(OLD_SCENARIO_NAMES))
      expect((await client.control('POST', `/scenarios/${old}`)).json.data).toMatchObject({
        armed: name,
      });
  });

  test('an armed scenario appears in the story of its payment', async () => {
    await sandbox.control.armScenario('webhook-lost');
    await payByCard('r');

    const { story } = await sandbox.control.collection('pub_sandbox_demo', 'r');

    expect(story.map(({ summary }) => summary)).toContain(
      'This payment plays the scenario webhook-lost.',
    );
  });
});

test.each([
  ['webhook-before-verify', 'Verify a payment by its reference → 200: pending.'],
  [
    'verify-unavailable',
    'Verify a payment by its reference → 503: The service is not available for now.',
  ],
])('the story shows what verify returned in %s, not the real state', async (name, summary) => {
  await sandbox.control.armScenario(name);
  await payByCard('r');
  await verify('r');

  const { story } = await sandbox.control.collection('pub_sandbox_demo', 'r');

  expect(
    story.filter(({ kind }) => kind === 'request').map((happening) => happening.summary),
  ).toContain(summary);
});

test('an armed scenario continues after a restart', () => {
  const build = () => {
    const clock = new Clock();
    return new Scenarios({ clock, history: new History({ clock }) });
  };
  const before = build();
  before.arm('webhook-lost', null);
  before.beginAttempt({ merchant: 'pub_a', reference: 'r 1' }, 0, {} as never);
  before.arm('webhook-late', 'pub_b');

  const after = build();
  after.restore(JSON.parse(JSON.stringify(before.snapshot())));

  expect(after.list()).toMatchObject({ armed: 'webhook-late', armedFor: 'pub_b' });
  expect(
    after.treatWebhook({ merchant: 'pub_a', reference: 'r 1' }, 'collection.successful'),
  ).toEqual({ drop: true });
  const old = build();
  old.restore({
    armed: { name: 'verify-silent', merchant: null },
    played: [['pub_a', 'r 1', 'webhook-doubled']],
  });
  expect(old.snapshot()).toEqual({
    armed: { name: 'verify-timeout', merchant: null },
    played: [['pub_a', 'r 1', 'webhook-duplicate']],
  });
  expect(() =>
    build().restore({ armed: { name: 'unknown', merchant: null }, played: [] }),
  ).toThrow();
});
