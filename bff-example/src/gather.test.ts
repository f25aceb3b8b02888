import { expect, test } from 'vitest';

import { gather } from './gather.ts';

test('does together what is asked for in one turn, and what comes later by itself', async () => {
  const runs: number[][] = [];
  const double = gather(async (items: readonly number[]) => {
    runs.push([...items]);
    return items.map((item) => 2 * item);
  });

  expect(await Promise.all([double(1), double(2), double(1)])).toEqual([2, 4, 2]);
  expect(await double(3)).toBe(6);
  expect(runs).toEqual([[1, 2, 1], [3]]);
});

test('fails all that were asked for together where that fails, and none after them', async () => {
  let isBroken = true;
  const echo = gather(async (items: readonly string[]) => {
    if (isBroken) throw new Error('no answer');
    return items;
  });

  const answers = await Promise.allSettled([echo('a'), echo('b')]);
  isBroken = false;

  expect(answers.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await echo('c')).toBe('c');
});

test('begins a read after it was asked for: what was written before is seen', async () => {
  const stored = new Set<string>();
  const isStored = gather(async (items: readonly string[]) => {
    const seen = new Set(stored);
    await new Promise(setImmediate);
    return items.map((item) => seen.has(item));
  });

  const before = isStored('x');
  await new Promise(setImmediate); // the first read is on its way
  stored.add('x');

  expect(await Promise.all([before, isStored('x')])).toEqual([false, true]);
});
