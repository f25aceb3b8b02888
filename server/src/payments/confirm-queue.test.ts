import { setImmediate } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { PATIENT } from '../../test/patience.ts';
import { buildLog } from '../observe/log.ts';
import { ConfirmQueue } from './confirm-queue.ts';

function setUp(mostAtOnce: number, confirmed: () => Promise<unknown> = () => setImmediate()) {
  const begun: string[] = [];
  const log = buildLog({
    logLevel: 'silent',
    apiToken: 'sec_sandbox_demo',
    previousApiToken: undefined,
    sessionSecret: 'x'.repeat(32),
  });
  const confirm = async (one: unknown) => {
    begun.push(String(one));
    await confirmed();
    return undefined;
  };
  const queue = new ConfirmQueue(confirm, log, mostAtOnce);
  const addDue = (reference: string) =>
    queue.run(reference, 0, async () => void (await confirm(reference)));
  return { begun, queue, addDue };
}

test('a webhook starts before every due payment that still waits', async () => {
  const { begun, queue, addDue } = setUp(10);
  for (let at = 0; at < 200; at++) void addDue(`due-${at}`);

  for (let at = 0; at < 50; at++) queue.add(`news-${at}`, 'webhook');
  await vi.waitFor(() => expect(begun).toHaveLength(250), PATIENT);

  expect(begun.slice(0, 10)).toEqual(Array.from({ length: 10 }, (_, at) => `due-${at}`));
  expect(begun.slice(10, 60)).toEqual(Array.from({ length: 50 }, (_, at) => `news-${at}`));
});

test('a reference that waits is confirmed once, and again for a webhook that comes while it runs', async () => {
  const first = Promise.withResolvers<void>();
  const { begun, queue } = setUp(1, () => first.promise);
  queue.add('running', 'webhook');

  for (const reference of ['running', 'waiting', 'waiting']) queue.add(reference, 'webhook');
  expect(begun).toEqual(['running']);
  first.resolve();

  await vi.waitFor(() => expect(begun).toEqual(['running', 'running', 'waiting']), PATIENT);
});

test('a queue that stops waits for what runs, and starts nothing more', async () => {
  const first = Promise.withResolvers<void>();
  const { begun, queue } = setUp(1, () => first.promise);
  queue.add('running', 'webhook');
  queue.add('waiting', 'webhook');

  let hasStopped = false;
  const stopping = queue.stop().then(() => {
    hasStopped = true;
  });
  queue.add('late', 'webhook');
  await setImmediate();
  expect(hasStopped).toBe(false);
  first.resolve();
  await stopping;

  expect(begun).toEqual(['running']);
});
