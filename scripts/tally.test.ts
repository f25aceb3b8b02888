import { describe, expect, test } from 'vitest';

import { readPlaywrightReport, readVitestReport, settleTally, sumTallies, tallyLine } from './tally.ts';

describe('the tally of a run', () => {
  test('counts passed, failed, skipped and planned tests of Vitest', () => {
    const report = { numPassedTests: 7, numFailedTests: 2, numPendingTests: 1, numTodoTests: 3, testResults: [] };

    expect(readVitestReport(report)).toMatchObject({ passed: 7, failed: 2, skipped: 4 });
  });

  test('counts a file of Vitest that could not be loaded as a failure', () => {
    const testResults = [
      { name: 'loaded.test.ts', status: 'failed', assertionResults: [{ fullName: 'fails', status: 'failed', failureMessages: ['no'] }] },
      { name: 'unloaded.test.ts', status: 'failed', assertionResults: [] },
    ];
    const report = { numPassedTests: 1, numFailedTests: 1, numPendingTests: 0, numTodoTests: 0, testResults };

    expect(readVitestReport(report)).toMatchObject({ passed: 1, failed: 2 });
  });

  test('counts a test of Playwright that passed only on a second try as a failure', () => {
    const report = { stats: { expected: 5, unexpected: 1, flaky: 1, skipped: 2 } };

    expect(readPlaywrightReport(report)).toMatchObject({ passed: 5, failed: 2, skipped: 2 });
  });

  test('names what failed in Vitest, with the end of what it said', () => {
    const output = Array.from({ length: 100 }, (_, line) => `line ${line + 1}`).join('\n');
    const assertionResults = [
      { fullName: 'a shop sells', status: 'passed', failureMessages: [] },
      { fullName: 'a shop closes', status: 'failed', failureMessages: [output, 'and another'] },
    ];
    const testResults = [
      { name: 'shop.test.ts', status: 'failed', assertionResults },
      { name: 'unloaded.test.ts', status: 'failed', message: 'no such module', assertionResults: [] },
    ];

    const { failures } = readVitestReport({ numPassedTests: 1, numFailedTests: 1, numPendingTests: 0, testResults });

    expect(failures).toMatchObject([
      { test: 'shop.test.ts › a shop closes', message: expect.stringMatching(/^line 41\n.*line 100$/s) },
      { test: 'unloaded.test.ts', message: 'no such module' },
    ]);
  });

  test('names what failed in Playwright, at first or for good', () => {
    const spec = (title: string, status: string) => ({
      title,
      ok: status !== 'unexpected',
      tests: [{ status, results: [{ error: { message: `${title} timed out` } }, {}] }],
    });
    const inner = { title: 'on a phone', specs: [spec('pays', 'unexpected'), spec('closes', 'expected'), spec('waits', 'flaky')] };
    const suites = [{ title: 'card.spec.ts', suites: [inner] }];

    const { failures } = readPlaywrightReport({ stats: { expected: 1, unexpected: 1, flaky: 1, skipped: 0 }, suites });

    expect(failures).toEqual([
      { test: 'card.spec.ts › on a phone › pays', message: 'pays timed out' },
      { test: 'card.spec.ts › on a phone › waits', message: 'waits timed out' },
    ]);
  });

  test('counts a suite without a report as a failure', () => {
    expect(settleTally(undefined, 1)).toMatchObject({ failed: 1, broken: 'ended with 1 and left no report' });
    expect(settleTally(undefined, null)).toMatchObject({ failed: 1, broken: 'ended with a signal and left no report' });
  });

  test('counts a suite that ran no test as a failure, whatever its exit code', () => {
    expect(settleTally({ passed: 0, failed: 0, skipped: 0 }, 0)).toMatchObject({ failed: 1, broken: 'ran no test' });
  });

  test('counts a crash that no failed test explains as a failure', () => {
    expect(settleTally({ passed: 9, failed: 0, skipped: 0 }, 1)).toMatchObject({ passed: 9, failed: 1 });
    expect(settleTally({ passed: 9, failed: 0, skipped: 0 }, null)).toMatchObject({ passed: 9, failed: 1 });
  });

  test('leaves a suite alone whose failed tests explain its exit code', () => {
    expect(settleTally({ passed: 9, failed: 2, skipped: 0 }, 1)).toEqual({ passed: 9, failed: 2, skipped: 0 });
  });

  test('ends with one line, naming skipped tests only where there are some', () => {
    const sum = sumTallies([
      { passed: 3, failed: 0, skipped: 1 },
      { passed: 4, failed: 1, skipped: 0, broken: 'ran no test' },
    ]);

    expect(tallyLine(sum)).toBe('7 passed, 1 failed, 1 skipped');
    expect(tallyLine({ passed: 2, failed: 0, skipped: 0 })).toBe('2 passed, 0 failed');
  });
});
