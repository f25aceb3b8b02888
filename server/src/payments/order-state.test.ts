import { expect, test } from 'vitest';
import { ManualClock } from '../testing/manual-clock.ts';
import { inTime } from './order-state.ts';

test('a confirm that hangs is not known yet after ten seconds, and no earlier (D52)', async () => {
  const clock = new ManualClock();
  let hasEnded = false;
  const confirming = inTime(clock, new Promise(() => {})).finally(() => {
    hasEnded = true;
  });
  confirming.catch(() => {});

  await clock.advance(9_999);
  expect(hasEnded).toBe(false);
  await clock.advance(1);

  await expect(confirming).rejects.toMatchObject({ code: 'not_known_yet', httpStatus: 503 });
  expect(await inTime(clock, Promise.resolve('confirming'))).toBe('confirming');
});
