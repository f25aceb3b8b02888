import { expect, onTestFinished, test } from 'vitest';

import { BoundedStore, keyOf } from './rate-limits.ts';

test('a limit remembers a hundred thousand addresses at most (T74)', async () => {
  const store = new BoundedStore();
  store.init({ windowMs: 3_600_000 } as Parameters<typeof store.init>[0]);
  onTestFinished(() => store.shutdown());

  for (let at = 0; at < 100_050; at++) await store.increment(`address ${at}`);

  expect(store.current.size + store.previous.size).toBe(50);
  expect(await store.increment('address 100049')).toMatchObject({ totalHits: 2 });
});

test('a limit keeps little of an owner, however long its cookie is, and tells owners apart (T74)', () => {
  const long = 'x'.repeat(16_000);

  expect(keyOf(long)).toHaveLength(44);
  expect(keyOf(`${long}a`)).not.toBe(keyOf(`${long}b`));
});
