import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { esbuildPlugin } from '@web/dev-server-esbuild';
import { defaultReporter } from '@web/test-runner';
import { playwrightLauncher } from '@web/test-runner-playwright';
import { build } from 'vite';

import { standInService } from './src/inline/test/stand-in-service.js';

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));

export default {
  rootDir: path('..'),
  files: path('src/**/*.test.ts'),
  nodeResolve: { exportConditions: ['production', 'browser'] },
  concurrency: 1,
  browserLogs: true,
  testRunnerHtml: (framework) => `<!doctype html><html lang="en"><head>
    <meta name="viewport" content="width=device-width, initial-scale=1"></head>
    <body><script type="module" src="${framework}"></script></body></html>`,
  testFramework: { config: { timeout: 10_000 } },
  plugins: [
    standInService(),
    moduleOf('credit-card-type'),
    esbuildPlugin({ ts: true, target: 'es2022', tsconfig: path('tsconfig.json') }),
  ],
  browsers: [
    playwrightLauncher({
      product: 'chromium',
      // Contrast is measured where nothing fades in.
      createBrowserContext: ({ browser }) => browser.newContext({ reducedMotion: 'reduce' }),
      launchOptions: {
        executablePath:
          process.env.HEADLESS_SHELL_PATH || process.env.BROWSER_PATH || '/usr/bin/chromium',
        args: [
          '--no-sandbox',
          '--disable-background-networking',
          '--disable-component-update',
          '--disable-sync',
          '--disable-gpu',
        ],
      },
    }),
  ],
  reporters: [
    defaultReporter({ reportTestProgress: false }),
    totalsReporter(process.env.REPORT_FILE),
  ],
};

/**
 * Creates a plugin for the test server that serves a CommonJS package as one module, as the built
 * page contains it.
 */
function moduleOf(name) {
  const file = fileURLToPath(import.meta.resolve(name));
  return {
    name: `module-of-${name}`,
    async serve({ path: requested }) {
      if (!file.endsWith(requested)) return undefined;
      const options = { lib: { entry: file, formats: ['es'] }, write: false };
      const [{ output }] = await build({ configFile: false, logLevel: 'error', build: options });
      return output[0].code;
    },
  };
}

/**
 * Writes the totals of the run and its failed tests as JSON, by the names of Vitest. A file that
 * does not load counts as a failed test.
 */
function totalsReporter(file) {
  return {
    onTestRunFinished({ sessions }) {
      if (!file) return;
      const tests = sessions.flatMap(({ testResults }) =>
        testResults ? testsOf(testResults) : [],
      );
      const unloaded = sessions.filter(({ passed, testResults }) => !passed && !testResults);
      const failures = [
        ...tests.filter(({ passed, skipped }) => !passed && !skipped).map(({ name }) => name),
        ...unloaded.map(({ testFile }) => `${testFile} does not load`),
      ];
      const totals = {
        testResults: [
          { assertionResults: failures.map((fullName) => ({ status: 'failed', fullName })) },
        ],
        numPassedTests: tests.filter(({ passed, skipped }) => passed && !skipped).length,
        numFailedTests: failures.length,
        numPendingTests: tests.filter(({ skipped }) => skipped).length,
      };
      writeFileSync(file, `${JSON.stringify(totals)}\n`);
    },
  };
}

function testsOf({ tests, suites }) {
  return [...tests, ...suites.flatMap(testsOf)];
}
