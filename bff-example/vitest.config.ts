import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts'],
    globalSetup: 'src/test-postgres.ts',
    maxWorkers: 3, // most tests wait for a server, a timer or a disk
    isolate: false, // importing the shop anew for each file would cost more than its tests
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
