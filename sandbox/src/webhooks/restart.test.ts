import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { FaultSettings } from '../faults/fault-settings.ts';
import { Faults } from '../faults/faults.ts';
import { Scenarios } from '../faults/scenarios.ts';
import { Merchants } from '../payments/merchants.ts';
import { History } from '../storage/history.ts';
import { State } from '../storage/state.ts';
import { fits, TestReceiver } from '../test/receiver.ts';
import { Clock } from '../time/clock.ts';
import { WebhookSender } from './sender.ts';

const HALF_AN_HOUR_MS = 30 * 60_000;
const receiver = new TestReceiver();
const started: WebhookSender[] = [];
const folder = mkdtempSync(join(tmpdir(), 'service-pay-restart-'));

beforeAll(() => receiver.listen());
afterAll(async () => {
  for (const sender of started) await sender.close();
  receiver.close();
  rmSync(folder, { recursive: true });
});
beforeEach(() => receiver.reset());

function build(file = join(folder, randomUUID())) {
  const clock = new Clock('virtual');
  const history = new History({ clock });
  const merchants = new Merchants(receiver.url());
  merchants.put('pub_sandbox_demo', { events: ['collection.successful', 'collection.settled'] });
  const faults = new Faults();
  const scenarios = new Scenarios({ clock, history });
  const sender = new WebhookSender({ clock, history, merchants, faults, scenarios });
  started.push(sender);
  const parts = { clock, faults, webhooks: sender };
  const state = new State(file, { parts, log: pino({ level: 'silent' }) });
  const notify = (reference: string, webhooks: FaultSettings['webhooks'] = {}, seed = 0) => {
    faults.set({ webhooks, seed });
    sender.notify('pub_sandbox_demo', 'collection.successful', { reference, amount: '10.00' });
  };
  return { file, state, clock, sender, faults, notify };
}
type Built = ReturnType<typeof build>;

async function restart({ file, state, clock, sender }: Built): Promise<Built> {
  state.close();
  clock.reset();
  await sender.close();
  const next = build(file);
  next.clock.start();
  return next;
}

test('delays, holds and tampering continue, and a lost delivery stays lost', async () => {
  const before = build();
  before.notify('lost', { drop: 1 });
  before.notify('late', { delaySeconds: 60 });
  before.notify('held', { shuffle: 1 });
  before.notify('tampered', { tamper: 1, delaySeconds: 30 });

  const after = await restart(before);
  receiver.respond = receiver.checkSignature;
  const order = () => receiver.received.map(({ body }) => /"reference":\s*"(\w+)"/.exec(body)?.[1]);
  await after.clock.advance(30_000);
  expect(order()).toEqual(['tampered', 'held']);
  await after.clock.advance(30_000);

  expect(order()).toEqual(['tampered', 'held', 'late']);
  expect(receiver.received.map(fits)).toEqual([false, true, true]);
  expect(after.sender.list().map(({ reference, status }) => `${reference} ${status}`)).toEqual([
    'lost dropped',
    'late acknowledged',
    'held acknowledged',
    'tampered waiting',
  ]);
});

test('a replay without a response is not sent again', async () => {
  const before = build();
  before.notify('replayed');
  await before.clock.advance(0);
  const reached = Promise.withResolvers<void>();
  receiver.respond = () => reached.resolve();
  const replayed = before.sender.replay([before.sender.list()[0]!.id], { isInOrder: false });
  await reached.promise;

  const after = await restart(before);
  await replayed;
  await after.clock.advance(2 * HALF_AN_HOUR_MS);

  expect(receiver.received).toHaveLength(2);
  expect(after.sender.list()).toMatchObject([
    { status: 'acknowledged' },
    { isReplay: true, status: 'given-up', attempts: [] },
  ]);
});

test('sequences of faults continue (T61)', async () => {
  const settings = { webhooks: { drop: 0.5, delaySeconds: { min: 0, max: 100 } }, seed: 11 };
  const whole = new Faults();
  whole.set(settings);
  const expected = Array.from({ length: 20 }, () => whole.treatWebhook());

  const before = new Faults();
  before.set(settings);
  const first = Array.from({ length: 10 }, () => before.treatWebhook());
  const after = new Faults(99);
  after.restore(JSON.parse(JSON.stringify(before.snapshot())));

  expect([...first, ...Array.from({ length: 10 }, () => after.treatWebhook())]).toEqual(expected);
  expect(after.settings).toEqual(settings);
});

test.each([
  [null, []],
  [{ more: 1 }, []],
  [{}, [{ id: 'x' }]],
  [{}, ['x']],
])('the deliveries reject %j with %j as a snapshot', (data, deliveries) => {
  expect(() => build().sender.restore(data, deliveries)).toThrow();
  expect(() => new Faults().restore(data)).toThrow();
});
