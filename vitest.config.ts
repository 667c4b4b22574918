import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['packages/*/src/**/*.test.ts', 'scripts/**/*.test.mjs', 'test/**/*.test.ts'],
    // A test that hangs must fail; one on a loaded machine must not.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    setupFiles: ['./test/support/silent-console.ts'],
  },
});
