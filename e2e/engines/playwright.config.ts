import { defineConfig } from '@playwright/test';

import { OUTPUT, PATIENCE } from '../playwright.config.ts';
import type { EngineOptions } from './engine-stack.ts';

/**
 * The main journeys in the engines that Playwright does not drive here: it only runs the tests,
 * with one worker per engine.
 */
export default defineConfig<object, EngineOptions>({
  ...PATIENCE,
  // Each step is a few calls of its own to a driver: three times as many as Playwright makes.
  timeout: 120_000,
  testDir: '.',
  testMatch: '*.journeys.ts',
  outputDir: OUTPUT,
  workers: 2,
  projects: [
    { name: 'firefox', use: { engine: 'firefox' } },
    { name: 'webkit', use: { engine: 'webkit' } },
  ],
});
