import { defineConfig } from '@playwright/test';

import { OUTPUT, PATIENCE } from '../playwright.config.ts';
import type { EngineOptions } from './engine-stack.ts';

/** The main journeys in the engines that Playwright does not drive here; it only runs the tests. One worker for each engine. */
export default defineConfig<object, EngineOptions>({
  ...PATIENCE,
  testDir: '.',
  testMatch: '*.journeys.ts',
  outputDir: OUTPUT,
  workers: 2,
  projects: [
    { name: 'firefox', use: { engine: 'firefox' } },
    { name: 'webkit', use: { engine: 'webkit' } },
  ],
});
