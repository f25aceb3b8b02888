import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';

import { defineConfig, firefox, webkit } from '@playwright/test';

const inRoot = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url));

export const OUTPUT = inRoot('test-results');

export const PATIENCE = {
  forbidOnly: true,
  retries: 0,
  timeout: 60_000,
  expect: { timeout: 15_000 },
};

const { BROWSER_PATH, HEADLESS_SHELL_PATH = BROWSER_PATH } = process.env;

const LAUNCH_CHROMIUM = {
  ...(HEADLESS_SHELL_PATH && { executablePath: HEADLESS_SHELL_PATH }),
  args: [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
  ],
};

/**
 * People paying in a real browser, against the real programs. Each worker has a service and a shop
 * of its own (`stack.ts`).
 */
export default defineConfig({
  ...PATIENCE,
  testDir: '.',
  testMatch: '**/*.spec.ts',
  // A repository of its own, which runs its own tests (`scripts/docs/merchant.long.test.ts`).
  testIgnore: ['merchant/**', 'faults/**'],
  outputDir: OUTPUT,
  workers: Math.max(4, availableParallelism()), // most tests wait for a timer or a server
  fullyParallel: true,
  // Firefox and WebKit if they are installed: `npx playwright install --with-deps firefox webkit`
  projects: [
    { name: 'chromium', use: { browserName: 'chromium', launchOptions: LAUNCH_CHROMIUM } },
    ...(['firefox', 'webkit'] as const)
      .filter((name) => existsSync({ firefox, webkit }[name].executablePath()))
      .map((name) => ({ name, use: { browserName: name } })),
  ],
  use: {
    locale: 'en-GB',
    trace: process.env['CI'] ? 'retain-on-failure' : 'off', // the workflow keeps it
    reducedMotion: 'reduce', // drawing motion takes a quarter of the time; sheet.spec.ts shows it
  },
});
