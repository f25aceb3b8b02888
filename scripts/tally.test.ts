import { describe, expect, test } from 'vitest';

import { countPlaywright, settleTally, sumTallies, tallyLine } from './tally.ts';

describe('the tally of a run', () => {
  test('counts a test that passed only on a second try as a failure', () => {
    const report = { stats: { expected: 5, unexpected: 1, flaky: 1, skipped: 2 } };

    expect(countPlaywright(report)).toEqual({ passed: 5, failed: 2, skipped: 2 });
  });

  test.each([
    ['left no report', undefined, 0],
    ['ran no test', { passed: 0, failed: 0, skipped: 0 }, 0],
    ['ended badly although no test failed', { passed: 9, failed: 0, skipped: 0 }, 1],
    ['was ended by a signal', { passed: 9, failed: 0, skipped: 0 }, null],
  ])('counts a suite that %s as a failure', (_how, counted, exitCode) => {
    expect(settleTally(counted, exitCode).failed).toBe(1);
  });

  test('adds no failure where failed tests explain the exit code', () => {
    expect(settleTally({ passed: 9, failed: 2, skipped: 0 }, 1)).toEqual({ passed: 9, failed: 2, skipped: 0 });
  });

  test('ends with one line, which names skipped tests only where there are some', () => {
    const sum = sumTallies([
      { passed: 3, failed: 0, skipped: 1 },
      { passed: 4, failed: 1, skipped: 0 },
    ]);

    expect(tallyLine(sum)).toBe('7 passed, 1 failed, 1 skipped');
    expect(tallyLine({ passed: 2, failed: 0, skipped: 0 })).toBe('2 passed, 0 failed');
  });
});
