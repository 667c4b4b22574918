import { availableParallelism } from 'node:os';
import { configDefaults, defineConfig } from 'vitest/config';

/** Tests that replace a module, or need one that no other test has loaded. */
const isolated = [
  'packages/cli/src/{foreign-options,commands/search/calls,terminal/compile-cache}.test.ts',
  'packages/natives/src/grep.test.ts',
  'test/coding-agent/{invalidation,search-timeout}.test.ts',
];

export default defineConfig({
  test: {
    // A test that hangs must fail; one on a loaded machine must not.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    // The message of a wait names what is missing, so a wait ends before its test.
    expect: { poll: { timeout: 100_000 } },
    // Half of the tests wait for processes of their own, so one worker more than cores is needed to use them all.
    maxWorkers: availableParallelism() + 1,
    setupFiles: ['./test/support/silent-console.ts', './test/support/fixed-seed.ts', './test/support/same-process.ts'],
    projects: [
      {
        extends: true,
        test: {
          name: 'shared',
          include: ['packages/*/src/**/*.test.ts', 'scripts/**/*.test.mjs', 'test/**/*.test.ts'],
          exclude: [...configDefaults.exclude, ...isolated],
          globalSetup: ['./test/support/own-directories.ts'],
          // The start of a worker and the loading of modules take a second of a core, which is more than most files take.
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'isolated',
          include: isolated,
          globalSetup: ['./test/support/own-directories.ts'],
          // A worker is used again while the project is the same.
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
