import { expect, test } from 'vitest';

import { buildLinePace } from './line-pace.ts';
import { ManualClock } from './test-shop.ts';

test('so many lines of a kind are let through in their time, and the next tells how many were not, also where the clock was set back', async () => {
  const clock = new ManualClock();
  const mayTell = buildLinePace(clock, 1_000, 2);

  const told = [mayTell('a'), mayTell('a'), mayTell('a'), mayTell('a'), mayTell('b')];
  await clock.advance(1_000);
  told.push(mayTell('a'), mayTell('a'), mayTell('a'));
  await clock.jump(-60 * 60_000);
  told.push(mayTell('a'), mayTell('b'));

  expect(told).toEqual([0, 0, undefined, undefined, 0, 2, 0, undefined, 1, 0]);
});
