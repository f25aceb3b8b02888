/** How many tests of a run passed, failed and were skipped. */
export interface Tally {
  passed: number;
  failed: number;
  skipped: number;
}

/** The members we read of Vitest's JSON report. The component tests' reporter writes the same. */
export interface VitestReport {
  numPassedTests: number;
  numFailedTests: number;
  numPendingTests: number;
  numTodoTests?: number;
}

/** The members we read of Playwright's JSON report. */
export interface PlaywrightReport {
  stats: { expected: number; unexpected: number; flaky: number; skipped: number };
}

/** Counts a report of Vitest. */
export function countVitest({ numPassedTests, numFailedTests, numPendingTests, numTodoTests = 0 }: VitestReport): Tally {
  return { passed: numPassedTests, failed: numFailedTests, skipped: numPendingTests + numTodoTests };
}

/** Counts a report of Playwright. */
export function countPlaywright({ stats }: PlaywrightReport): Tally {
  return { passed: stats.expected, failed: stats.unexpected + stats.flaky, skipped: stats.skipped };
}

/**
 * Counts one more failure where a runner left no report, ran no test, or ended badly although no test failed: a runner that crashes
 * or a file that does not load must never look like a run that passed.
 */
export function settleTally(counted: Tally = { passed: 0, failed: 0, skipped: 0 }, exitCode: number | null): Tally {
  const ranNone = counted.passed + counted.failed + counted.skipped === 0;
  const endedBadly = exitCode !== 0 && counted.failed === 0;
  return ranNone || endedBadly ? { ...counted, failed: counted.failed + 1 } : counted;
}

/** Adds up tallies. */
export function sumTallies(tallies: Tally[]): Tally {
  const add = (sum: Tally, { passed, failed, skipped }: Tally) => ({
    passed: sum.passed + passed,
    failed: sum.failed + failed,
    skipped: sum.skipped + skipped,
  });
  return tallies.reduce(add, { passed: 0, failed: 0, skipped: 0 });
}

/** Formats a tally: `N passed, N failed`, and `, N skipped` where some were. */
export function tallyLine({ passed, failed, skipped }: Tally): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}
