import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { esbuildPlugin } from '@web/dev-server-esbuild';
import { defaultReporter } from '@web/test-runner';
import { playwrightLauncher } from '@web/test-runner-playwright';
import { build } from 'vite';

import { standInService } from './src/inline/stand-in-service.js';

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));

export default {
  rootDir: path('..'),
  files: path('src/**/*.test.ts'),
  nodeResolve: { exportConditions: ['production', 'browser'] },
  concurrency: 1,
  browserLogs: true,
  testFramework: { config: { timeout: 10_000 } },
  plugins: [standInService(), moduleOf('credit-card-type'), esbuildPlugin({ ts: true, target: 'es2022', tsconfig: path('tsconfig.json') })],
  browsers: [
    playwrightLauncher({
      product: 'chromium',
      launchOptions: {
        executablePath: process.env.BROWSER_PATH || '/usr/bin/chromium',
        args: ['--no-sandbox', '--disable-background-networking', '--disable-component-update', '--disable-sync', '--disable-gpu'],
      },
    }),
  ],
  reporters: [defaultReporter({ reportTestProgress: false }), totalsReporter(process.env.REPORT_FILE)],
};

/** A plugin of the test server: gives a package that is CommonJS as the one module that the built page has of it. */
function moduleOf(name) {
  const file = fileURLToPath(import.meta.resolve(name));
  return {
    name: `module-of-${name}`,
    async serve({ path: asked }) {
      if (!file.endsWith(asked)) return undefined;
      const options = { lib: { entry: file, formats: ['es'] }, write: false };
      const [{ output }] = await build({ configFile: false, logLevel: 'error', build: options });
      return output[0].code;
    },
  };
}

/** Writes the totals of the run and its failures as JSON, by the names Vitest gives them. A file that does not load counts as a failed test. */
function totalsReporter(file) {
  return {
    onTestRunFinished({ sessions }) {
      if (!file) return;
      const testResults = sessions.map(({ testFile, passed, testResults: suite, errors }) => {
        const results = suite ? testsOf(suite) : [];
        const isBroken = !passed && results.every(({ status }) => status !== 'failed');
        const broken = { fullName: 'does not load', status: 'failed', failureMessages: errors.map(({ message }) => message) };
        return { name: testFile, status: passed ? 'passed' : 'failed', assertionResults: isBroken ? [...results, broken] : results };
      });
      const count = (wanted) => testResults.flatMap((each) => each.assertionResults).filter(({ status }) => status === wanted).length;
      const totals = { numPassedTests: count('passed'), numFailedTests: count('failed'), numPendingTests: count('skipped') };
      writeFileSync(file, `${JSON.stringify({ ...totals, testResults })}\n`);
    },
  };
}

function testsOf({ name, tests, suites }, above = []) {
  const path = name ? [...above, name] : above;
  const own = tests.map((test) => ({
    fullName: [...path, test.name].join(' '),
    status: test.skipped ? 'skipped' : test.passed ? 'passed' : 'failed',
    failureMessages: test.error ? [`${test.error.message}\n${test.error.stack ?? ''}`] : [],
  }));
  return [...own, ...suites.flatMap((suite) => testsOf(suite, path))];
}
