import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: { include: ['{shop,vitest}/**/*.test.{js,ts}'], testTimeout: 30_000, hookTimeout: 30_000 },
});
