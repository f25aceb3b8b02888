import { expect, test } from 'vitest';
import { ManualClock } from '../testing/manual-clock.ts';
import { buildThrottle } from './clock.ts';

test('what is throttled is let through once in its time for each key, also where the clock was set back', async () => {
  const clock = new ManualClock();
  const may = buildThrottle(clock, 1_000);

  const told = [may('a'), may('b'), may('a')];
  await clock.advance(1_000);
  told.push(may('a'));
  await clock.jump(-60 * 60_000);
  await clock.advance(1_000);
  told.push(may('a'), may('a'));

  expect(told).toEqual([true, true, false, true, true, false]);
});
