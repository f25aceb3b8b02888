import { defineConfig } from '@playwright/test';

const {
  BROWSER_PATH: executablePath = '',
  PICTURES_BEFORE: before,
  PICTURES_REPORT: outputFolder = '',
} = process.env;

/**
 * Takes the pictures of `npm run screenshots`. With earlier pictures to compare to, the report
 * shows each that differs beside the earlier one.
 */
export default defineConfig({
  testDir: '.',
  testMatch: 'screenshots.pictures.ts',
  outputDir: '../../test-results',
  workers: 2,
  fullyParallel: true,
  timeout: 0,
  snapshotPathTemplate: `${before}/{arg}{ext}`,
  updateSnapshots: 'none',
  reporter: [['line'], ...(before ? [['html', { outputFolder, open: 'never' }] as const] : [])],
  use: {
    locale: 'en-GB',
    timezoneId: 'UTC',
    contextOptions: { reducedMotion: 'reduce' },
    launchOptions: {
      executablePath,
      // As few differences between two runs as a browser allows: a tile that is redrawn in part
      // gets other corners than one drawn at once.
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-lcd-text',
        '--disable-partial-raster',
        '--font-render-hinting=none',
        '--hide-scrollbars',
      ],
    },
  },
});
