/** What a suite came to. `broken` says why it counts as failed beyond its own tests: it crashed, or ran none. */
export interface Tally {
  passed: number;
  failed: number;
  skipped: number;
  broken?: string;
}

/** The members we count of Vitest's report; the component tests' reporter writes the totals by the same names. */
interface VitestReport {
  numPassedTests: number;
  numFailedTests: number;
  numPendingTests: number;
  numTodoTests?: number;
  testResults?: { name: string; status: string; assertionResults: unknown[] }[];
}

interface PlaywrightReport {
  stats: { expected: number; unexpected: number; flaky: number; skipped: number };
}

/** Counts Vitest's JSON report. A file that could not be loaded holds no test and counts as one that failed. */
export function readVitestReport(report: VitestReport): Tally {
  const unloaded = (report.testResults ?? []).filter((file) => file.status === 'failed' && file.assertionResults.length === 0);
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests + unloaded.length,
    skipped: report.numPendingTests + (report.numTodoTests ?? 0),
  };
}

/** Counts Playwright's JSON report. A test that passed only when tried again failed once, and counts as failed. */
export function readPlaywrightReport({ stats }: PlaywrightReport): Tally {
  return { passed: stats.expected, failed: stats.unexpected + stats.flaky, skipped: stats.skipped };
}

/**
 * Settles what a suite came to from its own count and its exit code. No count, no test, or a bad exit that no failed test
 * explains is one failure more, with its reason: a runner that crashes must never look like a run that passed.
 */
export function settleTally(counted: Tally | undefined, exitCode: number | null): Tally {
  if (!counted) return { passed: 0, failed: 1, skipped: 0, broken: `ended with ${exitCode ?? 'a signal'} and left no report` };
  if (counted.passed + counted.failed + counted.skipped === 0) return { ...counted, failed: 1, broken: 'ran no test' };
  if (exitCode !== 0 && counted.failed === 0) {
    return { ...counted, failed: 1, broken: `ended with ${exitCode ?? 'a signal'} although no test failed` };
  }
  return counted;
}

/** Adds up tallies. */
export function sumTallies(tallies: Tally[]): Tally {
  const sum = { passed: 0, failed: 0, skipped: 0 };
  for (const { passed, failed, skipped } of tallies) {
    sum.passed += passed;
    sum.failed += failed;
    sum.skipped += skipped;
  }
  return sum;
}

/** The line a run ends with: `N passed, N failed`, and `, N skipped` where some were. */
export function tallyLine({ passed, failed, skipped }: Tally): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}
