import { setImmediate } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { PATIENT } from '../../test/manual-clock.ts';
import { buildLog } from '../observe/log.ts';
import { ConfirmQueue, MOST_DUE } from './confirm-queue.ts';

function setUp(mostAtOnce: number, confirmed: () => Promise<unknown> = () => setImmediate()) {
  const begun: string[] = [];
  const log = buildLog({
    logLevel: 'silent',
    apiToken: 'sec_sandbox_demo',
    previousApiToken: undefined,
    sessionSecret: 'x'.repeat(32),
  });
  const confirm = async (reference: string) => {
    begun.push(reference);
    await confirmed();
    return undefined;
  };
  return { begun, queue: new ConfirmQueue(confirm, log, mostAtOnce) };
}

test('a webhook starts before every due payment that still waits', async () => {
  const { begun, queue } = setUp(10);
  for (let at = 0; at < 200; at++) queue.addDue(`due-${at}`, async () => {});

  for (let at = 0; at < 50; at++) queue.add(`news-${at}`);
  await vi.waitFor(() => expect(begun).toHaveLength(250), PATIENT);

  expect(begun.slice(0, 10)).toEqual(Array.from({ length: 10 }, (_, at) => `due-${at}`));
  expect(begun.slice(10, 60)).toEqual(Array.from({ length: 50 }, (_, at) => `news-${at}`));
});

test('a reference that waits is confirmed once, and again for a webhook that comes while it runs', async () => {
  const first = Promise.withResolvers<void>();
  const { begun, queue } = setUp(1, () => first.promise);
  queue.add('running');

  for (const reference of ['running', 'waiting', 'waiting']) queue.add(reference);
  expect(begun).toEqual(['running']);
  first.resolve();

  await vi.waitFor(() => expect(begun).toEqual(['running', 'running', 'waiting']), PATIENT);
});

test('room for due payments is given back when they end', async () => {
  const { begun, queue } = setUp(10);

  for (let at = 0; at < MOST_DUE; at++) queue.addDue(`due-${at}`, async () => {});
  expect(queue.roomForDue).toBe(0);

  await vi.waitFor(() => expect(queue.roomForDue).toBe(MOST_DUE), PATIENT);
  expect(begun).toHaveLength(MOST_DUE);
});

test('a queue that stops waits for what runs, and starts nothing more', async () => {
  const first = Promise.withResolvers<void>();
  const { begun, queue } = setUp(1, () => first.promise);
  queue.add('running');
  queue.add('waiting');

  let hasStopped = false;
  const stopping = queue.stop().then(() => {
    hasStopped = true;
  });
  queue.add('late');
  await setImmediate();
  expect(hasStopped).toBe(false);
  first.resolve();
  await stopping;

  expect(begun).toEqual(['running']);
});
