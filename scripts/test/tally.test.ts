import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';

import { countTests } from './tally.ts';

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

test('a runner that ended well is none', () => {
  expect(countTests(report, 0)).toEqual({ passed: 9, failed: 0, skipped: 0, failures: [] });
});

test.each([
  [
    'Vitest',
    {
      numFailedTests: 1,
      testResults: [{ assertionResults: [{ status: 'failed', fullName: 'a fee is rounded up' }] }],
    },
    'a fee is rounded up',
  ],
  [
    'Playwright',
    {
      stats: { expected: 0, unexpected: 1, flaky: 0, skipped: 0 },
      suites: [
        {
          specs: [],
          suites: [
            { specs: [{ ok: false, title: 'a card is paid', file: 'card.spec.ts', line: 7 }] },
          ],
        },
      ],
    },
    'card.spec.ts:7 a card is paid',
  ],
])('a failed test of %s is named', (_runner, written, name) => {
  const file = join(folder, 'failed.json');
  writeFileSync(file, JSON.stringify(written));

  expect(countTests(file, 1)).toMatchObject({ failed: 1, failures: [name] });
});
