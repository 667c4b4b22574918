import { availableParallelism } from 'node:os';
import { configDefaults, defineConfig } from 'vitest/config';

/** Tests of single files and of the repository itself: they load one another's modules and change nothing of them. */
const units = ['packages/*/src/**/*.test.ts', 'scripts/**/*.test.mjs', 'test/{docs,layers,pins,support}/**/*.test.ts'];
/** A unit test that needs modules that no other test has loaded. */
const isolated = ['packages/cli/src/**/compile-cache.test.ts', 'packages/natives/src/grep.test.ts'];

export default defineConfig({
  test: {
    // A test that hangs must fail; one on a loaded machine must not.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    // The message of a wait names what is missing, so a wait ends before its test.
    expect: { poll: { timeout: 100_000 } },
    // Half of the tests wait for processes of their own, so no core is kept free for the runner.
    maxWorkers: availableParallelism(),
    setupFiles: ['./test/support/silent-console.ts', './test/support/fixed-seed.ts'],
    projects: [
      {
        extends: true,
        test: {
          name: 'product',
          include: ['test/**/*.test.ts', ...isolated],
          exclude: [...configDefaults.exclude, ...units.filter((pattern) => pattern.startsWith('test/'))],
          globalSetup: ['./test/support/own-directories.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'units',
          include: units,
          exclude: [...configDefaults.exclude, ...isolated],
          globalSetup: ['./test/support/own-directories.ts'],
          // Half of the time of a unit test is the start of its worker and the loading of what it tests.
          isolate: false,
        },
      },
    ],
  },
});
