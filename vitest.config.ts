import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['packages/*/src/**/*.test.ts', 'scripts/**/*.test.mjs', 'test/**/*.test.ts'],
    // A test that hangs must fail; one on a loaded machine must not.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Half of the tests wait for processes of their own, so no core is kept free for the runner.
    maxWorkers: availableParallelism(),
    globalSetup: ['./test/support/own-directories.ts'],
    setupFiles: ['./test/support/silent-console.ts'],
  },
});
