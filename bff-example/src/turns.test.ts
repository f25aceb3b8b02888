import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';

import { Turns } from './turns.ts';

test('a crowd goes on two at a time, in the order they came, and lets every turn between them be had (T91)', async () => {
  const turns = new Turns();
  const gone: number[] = [];
  const perTurn: number[] = [];
  for (let stranger = 0; stranger < 20; stranger++) void turns.next().then(() => gone.push(stranger));

  while (gone.length < 20) {
    const before = gone.length;
    await nextTurn();
    perTurn.push(gone.length - before);
  }

  expect(gone).toEqual(Array.from({ length: 20 }, (_, stranger) => stranger));
  expect(Math.max(...perTurn)).toBe(2);
});

test('a thousand wait and no more, since each takes memory (T91)', async () => {
  const turns = new Turns();
  let gone = 0;
  const all = Promise.all(Array.from({ length: 3_000 }, () => turns.next().then(() => gone++)));

  await new Promise<void>((resolve) => process.nextTick(resolve));
  const goneAtOnce = gone;
  await all;

  expect(goneAtOnce).toBe(2_000);
});

test('who comes when nobody waits any longer is let on, too', async () => {
  const turns = new Turns();

  await turns.next();
  await turns.next();
});
