import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['{contract,sandbox,bff-example}/src/**/*.test.ts', 'scripts/**/*.test.ts', 'e2e/faults/*.test.ts'],
    testTimeout: 20_000,
    hookTimeout: 30_000,
  },
});
