import { defineConfig } from '@playwright/test';
import type { ServicePayWorkerFixtures } from '@service-pay/sandbox/playwright';

const { BROWSER_PATH } = process.env;

export default defineConfig<object, ServicePayWorkerFixtures>({
  testDir: 'playwright',
  forbidOnly: true,
  timeout: 60_000,
  expect: { timeout: 20_000 },
  workers: 4, // most tests wait for the popup
  fullyParallel: true,
  use: {
    locale: 'en-GB',
    servicePaySandboxOptions: { seed: 7, historyLimit: 1000 },
    launchOptions: {
      ...(BROWSER_PATH ? { executablePath: BROWSER_PATH } : {}),
      args: ['--no-sandbox', '--disable-gpu'],
    },
  },
});
