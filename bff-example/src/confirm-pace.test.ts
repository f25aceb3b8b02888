import { expect, test } from 'vitest';

import { ConfirmPace } from './confirm-pace.ts';

/** A process whose time is spent as a test says: at work, standing still for its disk, and idle. */
function buildProcess() {
  const spent = { active: 0, idle: 0, blocked: 0 };
  const pace = new ConfirmPace(
    () => spent.blocked,
    (since) => {
      const [active, idle] = [spent.active - (since?.active ?? 0), spent.idle - (since?.idle ?? 0)];
      return { active, idle, utilization: active / (active + idle || 1) };
    },
  );
  const spend = (worked: number, idle: number, { blocked = 0, news = 0 } = {}) => {
    spent.active += worked + blocked;
    spent.idle += idle;
    spent.blocked += blocked;
    for (let told = 0; told < news; told++) pace.noteNews();
    return pace.findMostAtOnce();
  };
  return spend;
}

test('runs fewer confirms at once while the process has no time to spare, never too few for what is due, and more again after (B22)', () => {
  const spend = buildProcess();

  expect(spend(0, 1_000)).toBe(50);
  expect(spend(40, 0)).toBe(50); // too short to tell
  expect(spend(100, 0)).toBe(25);
  expect(spend(100, 0)).toBe(12);
  expect(spend(1_000, 1)).toBe(8);
  expect(spend(1_000, 1)).toBe(8);
  expect(spend(50, 50)).toBe(12);
  expect(Array.from({ length: 10 }, () => spend(10, 90))).toEqual([16, 20, 24, 28, 32, 36, 40, 44, 48, 50]);
});

test('runs next to none while webhooks fill the process, and as many as ever a moment after the last of them (B22)', () => {
  const spend = buildProcess();
  const crowd = { news: 100 };

  expect(Array.from({ length: 6 }, () => spend(80, 20, crowd))).toEqual([25, 12, 6, 3, 2, 2]);
  expect(spend(60, 40, crowd)).toBe(6); // there is room beside them
  expect(spend(100, 0, { news: 12 })).toBe(8); // so few are no crowd
  expect(Array.from({ length: 11 }, () => spend(70, 30)).at(-1)).toBe(50);
});

test('takes time that a slow disk costs for time to spare: confirms share its commits with webhooks (B22)', () => {
  const spend = buildProcess();

  expect(spend(20, 0, { blocked: 80, news: 100 })).toBe(50);
  expect(spend(80, 0, { blocked: 20, news: 100 })).toBe(25);
});
