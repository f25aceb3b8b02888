import { defineConfig } from '@playwright/test';

const { BROWSER_PATH } = process.env;

export default defineConfig({
  testDir: 'playwright',
  forbidOnly: true,
  timeout: 60_000,
  expect: { timeout: 20_000 },
  workers: 2,
  fullyParallel: true,
  use: {
    locale: 'en-GB',
    launchOptions: { ...(BROWSER_PATH ? { executablePath: BROWSER_PATH } : {}), args: ['--no-sandbox', '--disable-gpu'] },
  },
});
