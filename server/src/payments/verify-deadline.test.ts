import { expect, test } from 'vitest';
import { ManualClock } from '../../test/manual-clock.ts';
import { buildInTime } from './verify-deadline.ts';

const hangs = () => new Promise<never>(() => {});

test('two thousand may wait, each for as many payments as there are; the next is told at once, and all within ten seconds', async () => {
  const clock = new ManualClock();
  const inTime = buildInTime(clock);
  const waiting = Promise.allSettled(
    Array.from({ length: 2_000 }, () => inTime(() => Promise.all([hangs(), hangs()]))),
  );

  await expect(inTime(async () => 'asked')).rejects.toMatchObject({ code: 'not_known_yet' });
  await clock.advance(10_000);

  for (const outcome of await waiting)
    expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'not_known_yet' } });
  expect(await inTime(async () => 'asked')).toBe('asked');
});
