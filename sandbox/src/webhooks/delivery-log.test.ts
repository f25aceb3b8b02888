import { expect, test } from 'vitest';

import type { KeptAttempt, KeptDelivery } from './delivery.ts';
import { DeliveryLog } from './delivery-log.ts';

function delivery(id: string): KeptDelivery {
  return {
    ...{
      id,
      event: 'collection.successful',
      merchant: 'pub_a',
      reference: id,
      url: 'http://localhost/',
      body: '{}',
    },
    ...{
      createdAt: '2030-01-01T00:00:00.000Z',
      repeats: null,
      isReplay: false,
      treatment: {},
      status: 'waiting',
    },
    ...{ dueAt: null, plan: null, isHeld: false, behind: null, attempts: [] },
  } as KeptDelivery;
}

function attemptOf(length: number): KeptAttempt {
  const body = 'x'.repeat(length);
  return {
    at: '',
    signature: null,
    status: 500,
    headers: {},
    body,
    error: 'The receiver responded with 500.',
    tookMs: 1,
  };
}

test('the delivery log keeps 16 MB of responses; beyond that drops the oldest long ones and keeps short ones', () => {
  const log = new DeliveryLog(10);
  const one = delivery('a');
  log.add(one);
  log.addAttempt(one, attemptOf(1024));
  for (let attempt = 0; attempt < 300; attempt++) log.addAttempt(one, attemptOf(64 * 1024));

  const [short, ...long] = one.attempts.map(({ body }) => body?.length ?? null);
  expect(short).toBe(1024);
  expect(long).toEqual([...Array(44).fill(null), ...Array(256).fill(64 * 1024)]);
});

test('the delivery log finds, selects and lists a finished delivery, without its long response', () => {
  const log = new DeliveryLog(1000);
  const [first, second] = [delivery('a'), delivery('b')];
  for (const one of [first, second]) log.add(one);
  log.addAttempt(first, attemptOf(2048));
  log.end(first, 'given-up');

  expect(log.find('a')).toEqual(first);
  expect(log.all()).toEqual([first, second]);
  expect(log.about({ merchant: 'pub_a', reference: 'a' })).toEqual([first]);
  expect(log.originals(undefined)).toEqual(['a', 'b']);

  for (let attempt = 0; attempt < 256; attempt++) log.addAttempt(second, attemptOf(64 * 1024));

  expect(log.find('a')!.attempts).toEqual([{ ...attemptOf(2048), body: null }]);
  expect(log.find('b')!.attempts[0]!.body).toHaveLength(64 * 1024);
});
