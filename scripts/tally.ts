/** What a suite came to. `broken` says why it counts as failed beyond its own tests: it crashed, or ran none. */
export interface Tally {
  passed: number;
  failed: number;
  skipped: number;
  broken?: string;
  /** The tests that failed, with the end of what each said. */
  failures?: Failure[];
}

interface Failure {
  test: string;
  message: string;
}

/** The members we count of Vitest's report; the component tests' reporter writes the totals by the same names. */
interface VitestReport {
  numPassedTests: number;
  numFailedTests: number;
  numPendingTests: number;
  numTodoTests?: number;
  testResults?: { name: string; status: string; message?: string; assertionResults: VitestResult[] }[];
}

interface VitestResult {
  fullName: string;
  status: string;
  failureMessages?: string[] | null;
}

interface PlaywrightReport {
  stats: { expected: number; unexpected: number; flaky: number; skipped: number };
  suites?: PlaywrightSuite[];
}

interface PlaywrightSuite {
  title: string;
  suites?: PlaywrightSuite[];
  specs?: { title: string; ok: boolean; tests: { status: string; results: { error?: { message?: string } }[] }[] }[];
}

/** The end of a message is kept: a program that a test runs says last what failed. */
const LINES_KEPT = 60;

/** Counts Vitest's JSON report. A file that could not be loaded holds no test and counts as one that failed. */
export function readVitestReport(report: VitestReport): Tally {
  const files = report.testResults ?? [];
  const unloaded = files.filter((file) => file.status === 'failed' && file.assertionResults.length === 0);
  const failures = files.flatMap((file) =>
    file.assertionResults
      .filter(({ status }) => status === 'failed')
      .map(({ fullName, failureMessages }) => failure(`${file.name} › ${fullName}`, failureMessages?.[0])),
  );
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests + unloaded.length,
    skipped: report.numPendingTests + (report.numTodoTests ?? 0),
    failures: [...failures, ...unloaded.map(({ name, message }) => failure(name, message))],
  };
}

/** Counts Playwright's JSON report. A test that passed only when tried again failed once, and counts as failed. */
export function readPlaywrightReport({ stats, suites = [] }: PlaywrightReport): Tally {
  const failures = suites.flatMap((suite) => failuresOf(suite, []));
  return { passed: stats.expected, failed: stats.unexpected + stats.flaky, skipped: stats.skipped, failures };
}

function failuresOf({ title, specs = [], suites = [] }: PlaywrightSuite, above: string[]): Failure[] {
  const path = [...above, title];
  const failed = specs.flatMap((spec) =>
    spec.tests
      .filter(({ status }) => status === 'unexpected' || status === 'flaky')
      .map(({ results }) => failure([...path, spec.title].join(' › '), results.find(({ error }) => error)?.error?.message)),
  );
  return [...failed, ...suites.flatMap((suite) => failuresOf(suite, path))];
}

function failure(test: string, message = 'It said nothing.'): Failure {
  return { test, message: message.trim().split('\n').slice(-LINES_KEPT).join('\n') };
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
