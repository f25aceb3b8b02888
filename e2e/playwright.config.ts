import { fileURLToPath } from 'node:url';

import { defineConfig } from '@playwright/test';

const inRoot = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url));

/** People paying, in a real browser, against the real programs. Each worker has a service and a shop of its own (`stack.ts`). */
export default defineConfig({
  testDir: '.',
  testMatch: '*.spec.ts',
  outputDir: inRoot('test-results'),
  workers: 2,
  fullyParallel: true,
  forbidOnly: true,
  retries: 0,
  timeout: 60_000,
  expect: { timeout: 15_000 },
  use: {
    browserName: 'chromium',
    locale: 'en-GB',
    trace: 'retain-on-failure',
    launchOptions: {
      ...(process.env['BROWSER_PATH'] ? { executablePath: process.env['BROWSER_PATH'] } : {}),
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
    },
  },
});
