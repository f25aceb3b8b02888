import { expect, test } from 'vitest';

import { ConfirmPace } from './confirm-pace.ts';

test('runs fewer confirms at once while the process has no time to spare, never too few for what is due, and more again after (B22)', () => {
  const spent = { active: 0, idle: 0 };
  const pace = new ConfirmPace((since) => {
    const [active, idle] = [spent.active - (since?.active ?? 0), spent.idle - (since?.idle ?? 0)];
    return { active, idle, utilization: active / (active + idle || 1) };
  });
  const spend = (active: number, idle: number) => {
    spent.active += active;
    spent.idle += idle;
    return pace.mostAtOnce;
  };

  expect(spend(0, 1_000)).toBe(50);
  expect(spend(40, 0)).toBe(50); // too short to tell
  expect(spend(100, 0)).toBe(25);
  expect(spend(100, 0)).toBe(16);
  expect(spend(1_000, 1)).toBe(16);
  expect(spend(50, 50)).toBe(24);
  expect([spend(10, 90), spend(10, 90), spend(10, 90), spend(10, 90)]).toEqual([32, 40, 48, 50]);
});
