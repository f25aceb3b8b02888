import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';

import { countTests, failedTests } from './tally.ts';

const folder = mkdtempSync(join(tmpdir(), 'service-pay-tally-'));
const report = join(folder, 'report.json');
writeFileSync(report, JSON.stringify({ numPassedTests: 9 }));

afterAll(() => rmSync(folder, { recursive: true }));

test.each([
  ['left no report', join(folder, 'none.json'), 0],
  ['ended badly although no test failed', report, 1],
  ['was ended by a signal', report, null],
])('a runner that %s is a failure', (_how, file, exitCode) => {
  expect(countTests(file, exitCode).failed).toBe(1);
});

test('a runner that ended well is no failure', () => {
  expect(countTests(report, 0)).toEqual({ passed: 9, failed: 0, skipped: 0 });
});

test("the tally counts Playwright's flaky tests as failed", () => {
  const file = join(folder, 'journeys.json');
  const stats = { expected: 4, unexpected: 1, flaky: 1, skipped: 2 };
  writeFileSync(file, JSON.stringify({ stats }));

  expect(countTests(file, 1)).toEqual({ passed: 4, failed: 2, skipped: 2 });
});

test('the tally names the tests that failed', () => {
  const file = join(folder, 'failed.json');
  const assertionResults = [
    { status: 'passed', fullName: 'pays' },
    { status: 'failed', fullName: 'pays once' },
  ];
  writeFileSync(file, JSON.stringify({ testResults: [{ assertionResults }] }));
  expect(failedTests(file)).toEqual(['pays once']);

  const spec = { ok: false, file: 'pay.spec.ts', title: 'pays by card' };
  writeFileSync(file, JSON.stringify({ suites: [{ suites: [{ specs: [spec] }] }] }));
  expect(failedTests(file)).toEqual(['pay.spec.ts: pays by card']);
});
