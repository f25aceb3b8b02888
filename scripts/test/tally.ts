import { existsSync, readFileSync } from 'node:fs';

export interface Tally {
  passed: number;
  failed: number;
  skipped: number;
  failures: string[];
}

/**
 * The members we read of Vitest's JSON report, which the component tests' reporter writes too, or
 * `stats` and `suites` of Playwright's.
 */
interface Report {
  testResults?: { assertionResults: { status: string; fullName: string }[] }[];
  suites?: PlaywrightSuite[];
  numPassedTests?: number;
  numFailedTests?: number;
  numPendingTests?: number;
  numTodoTests?: number;
  stats?: { expected: number; unexpected: number; flaky: number; skipped: number };
}

interface PlaywrightSuite {
  specs: { ok: boolean; title: string; file: string; line: number }[];
  suites?: PlaywrightSuite[];
}

/**
 * Counts a runner's report. A runner that left no report, or exited with an error but no failed
 * test, counts as one failure, so that a crash never looks like a pass.
 */
export function countTests(file: string, exitCode: number | null): Tally {
  const report: Report = existsSync(file)
    ? JSON.parse(readFileSync(file, 'utf8'))
    : { numFailedTests: 1 };
  const {
    numPassedTests = 0,
    numFailedTests = 0,
    numPendingTests = 0,
    numTodoTests = 0,
    stats,
    testResults = [],
    suites = [],
  } = report;
  const counted = stats
    ? { passed: stats.expected, failed: stats.unexpected + stats.flaky, skipped: stats.skipped }
    : { passed: numPassedTests, failed: numFailedTests, skipped: numPendingTests + numTodoTests };
  const failures = [
    ...testResults
      .flatMap(({ assertionResults }) => assertionResults)
      .filter(({ status }) => status === 'failed')
      .map(({ fullName }) => fullName),
    ...suites.flatMap(failuresOf),
  ];
  return { ...counted, failed: counted.failed || (exitCode === 0 ? 0 : 1), failures };
}

function failuresOf({ specs, suites = [] }: PlaywrightSuite): string[] {
  const failed = specs.filter(({ ok }) => !ok);
  return [
    ...failed.map(({ title, file, line }) => `${file}:${line} ${title}`),
    ...suites.flatMap(failuresOf),
  ];
}

export function sumTallies(tallies: Tally[]): Tally {
  const sum = (name: 'passed' | 'failed' | 'skipped') =>
    tallies.reduce((total, tally) => total + tally[name], 0);
  return {
    passed: sum('passed'),
    failed: sum('failed'),
    skipped: sum('skipped'),
    failures: tallies.flatMap(({ failures }) => failures),
  };
}

/** Formats a tally: `N passed, N failed`, and `, N skipped` if any were. */
export function tallyLine({ passed, failed, skipped }: Tally): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}
