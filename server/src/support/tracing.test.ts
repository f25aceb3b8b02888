import { type TracingChannelSubscribers, tracingChannel } from 'node:diagnostics_channel';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { buildTestLog, passTimeUntil } from '../../test/parts.ts';
import { PATIENT, PATIENT_PAYMENTS } from '../../test/patience.ts';
import { createPayments, type Payments } from '../index.ts';
import { makeDatabaseUrl, type TestDatabase } from '../testing/databases.ts';
import { ManualClock } from '../testing/manual-clock.ts';
import { collectionResponse, signedWebhook, startUpstream, TOKEN } from '../testing/upstream.ts';

const ORDER = { amount: '92.50', currency: 'ZMW', owner: 'ann', data: {} };

let database: TestDatabase;
let service: Awaited<ReturnType<typeof startUpstream>>;
let clock: ManualClock;
let payments: Payments;
let fails: boolean;

beforeEach(async () => {
  database = await makeDatabaseUrl('sqlite');
  service = await startUpstream((req, res) => res.end(collectionResponse(req.url!)));
  clock = new ManualClock();
  fails = false;
  payments = await createPayments({
    apiUrl: service.url,
    apiToken: TOKEN,
    publicKey: 'pub_test',
    database: database.url,
    fulfil: async () => {
      if (fails) throw new Error('The warehouse is closed.');
    },
    log: buildTestLog(),
    clock,
    ...PATIENT_PAYMENTS,
  });
});

afterEach(async () => {
  await payments.close();
  await service.close();
  await database.drop();
});

/** Lists what ends on the channels from now on. */
function listen(): { name: string; call: Record<string, any> }[] {
  const ended: { name: string; call: Record<string, any> }[] = [];
  for (const name of ['confirm', 'fulfil', 'webhook', 'verify']) {
    const channel = tracingChannel(`service-pay:${name}`);
    const asyncEnd = (call: object) => void ended.push({ name, call });
    const subscribers = { asyncEnd } as unknown as TracingChannelSubscribers<object>;
    channel.subscribe(subscribers);
    onTestFinished(() => void channel.unsubscribe(subscribers));
  }
  return ended;
}

test('a webhook, its confirm, the verify call and the fulfilment are traced with what they are about', async () => {
  const ended = listen();
  const { reference, orderId } = await payments.create(ORDER);
  const { body, headers } = signedWebhook('collection.successful', { reference });

  await payments.receiveWebhook({ headers, rawBody: body });
  await vi.waitFor(() => expect(ended).toHaveLength(4), PATIENT);

  expect(ended).toMatchObject([
    { name: 'webhook', call: { event: 'collection.successful', result: { status: 200 } } },
    { name: 'verify', call: { reference, result: { status: 'successful' } } },
    { name: 'confirm', call: { reference, trigger: 'webhook', result: { state: 'paid' } } },
    { name: 'fulfil', call: { orderId, reference, attempt: 1 } },
  ]);
});

test('a payment that the reconciler polls is traced, and a fulfilment that fails with its error', async () => {
  const ended = listen();
  fails = true;
  const { reference } = await payments.create(ORDER);

  await passTimeUntil(clock, () =>
    expect(ended).toContainEqual({
      name: 'fulfil',
      call: expect.objectContaining({ error: new Error('The warehouse is closed.') }),
    }),
  );

  expect(ended).toContainEqual({
    name: 'confirm',
    call: expect.objectContaining({ reference, trigger: 'due' }),
  });
});

test('a shop without work traces nothing', async () => {
  const ended = listen();

  await clock.advance(10 * 60_000);

  expect(ended).toEqual([]);
});
