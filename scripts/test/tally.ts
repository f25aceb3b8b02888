import { existsSync, readFileSync } from 'node:fs';

export interface Tally {
  passed: number;
  failed: number;
  skipped: number;
}

interface VitestFile {
  assertionResults: { status: string; fullName: string }[];
}

interface PlaywrightSuite {
  specs?: { ok: boolean; file: string; title: string }[];
  suites?: PlaywrightSuite[];
}

/**
 * Counts a runner's JSON report: Vitest's, which the component tests' reporter writes too, or
 * Playwright's. A runner that left no report, or exited with an error but no failed test, counts as
 * one failure, so that a crash never looks like a pass.
 */
export function countTests(file: string, exitCode: number | null): Tally {
  const report = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : { numFailedTests: 1 };
  const {
    numPassedTests: passed = 0,
    numFailedTests = 0,
    numPendingTests = 0,
    numTodoTests = 0,
    stats,
  } = report;
  const tally = stats
    ? { passed: stats.expected, failed: stats.unexpected + stats.flaky, skipped: stats.skipped }
    : { passed, failed: numFailedTests, skipped: numPendingTests + numTodoTests };
  return { ...tally, failed: tally.failed || (exitCode === 0 ? 0 : 1) };
}

/** Lists the names of the tests that failed by a runner's JSON report. */
export function failedTests(file: string): string[] {
  if (!existsSync(file)) return [];
  const { testResults = [], suites = [] } = JSON.parse(readFileSync(file, 'utf8'));
  return [...failedOfVitest(testResults), ...suites.flatMap(failedOfPlaywright)];
}

function failedOfVitest(files: VitestFile[]): string[] {
  return files
    .flatMap(({ assertionResults }) => assertionResults)
    .filter(({ status }) => status === 'failed')
    .map(({ fullName }) => fullName);
}

function failedOfPlaywright({ specs = [], suites = [] }: PlaywrightSuite): string[] {
  const own = specs.filter(({ ok }) => !ok).map(({ file, title }) => `${file}: ${title}`);
  return [...own, ...suites.flatMap(failedOfPlaywright)];
}

export function sumTallies(tallies: Tally[]): Tally {
  const sum = (name: keyof Tally) => tallies.reduce((total, tally) => total + tally[name], 0);
  return { passed: sum('passed'), failed: sum('failed'), skipped: sum('skipped') };
}

/** Formats a tally: `N passed, N failed`, and `, N skipped` if any were. */
export function tallyLine({ passed, failed, skipped }: Tally): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}
