import { defineConfig } from 'vitest/config';

if (!process.env.TEST_POSTGRES_URL)
  console.warn('The tests of PostgreSQL are skipped: TEST_POSTGRES_URL does not name a server.');

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts'],
    maxWorkers: 3, // most tests wait for a server, a timer or a disk
    isolate: false, // importing the shop anew for each file would cost more than its tests
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
