import { expect, onTestFinished, test, vi } from 'vitest';
import { ManualClock } from '../testing/manual-clock.ts';
import { buildThrottle, realClock } from './clock.ts';

test('a task 60 days ahead runs then, one without an end never, and one that is cancelled never', () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const [days, ran] = [24 * 3_600_000, [] as string[]];
  realClock.after(60 * days, () => ran.push('60 days'));
  realClock.after(Number.POSITIVE_INFINITY, () => ran.push('never'));
  const cancel = realClock.after(60 * days, () => ran.push('cancelled'));

  vi.advanceTimersByTime(59 * days);
  cancel();
  expect(ran).toEqual([]);
  vi.advanceTimersByTime(days);
  expect(ran).toEqual(['60 days']);
  vi.advanceTimersByTime(999 * days);
  expect(ran).toEqual(['60 days']);
});

test('what is throttled is let through once in its time for each key, also where the clock was set back', async () => {
  const clock = new ManualClock();
  const may = buildThrottle(clock, 1_000);

  const allowed = [may('a'), may('b'), may('a')];
  await clock.advance(1_000);
  allowed.push(may('a'));
  await clock.jump(-60 * 60_000);
  await clock.advance(1_000);
  allowed.push(may('a'), may('a'));

  expect(allowed).toEqual([true, true, false, true, true, false]);
});
