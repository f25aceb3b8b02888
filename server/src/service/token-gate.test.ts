import { expect, test } from 'vitest';

import { ManualClock } from '../../test/manual-clock.ts';
import { TokenGate } from './token-gate.ts';

test('one call in five seconds finds out whether the token works again, also where the clock was set back (T101)', async () => {
  const clock = new ManualClock();
  const gate = new TokenGate(clock);
  gate.note(true);

  const held = gate.admit();
  await clock.advance(5_000);
  const admitted = [gate.admit(), gate.admit()];
  await clock.jump(-60 * 60_000);
  await clock.advance(5_000);
  admitted.push(gate.admit(), gate.admit());
  gate.note(false);

  expect(held).toBe(false);
  expect(admitted).toEqual([true, false, true, false]);
  expect([gate.isRefused, gate.admit()]).toEqual([false, true]);
});
