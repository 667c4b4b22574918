import fc from 'fast-check';

/**
 * Loaded before every test file: properties check the same cases in each run, so that a failure is never one of chance. `npm run
 * fuzz` and a seed in `CAIRN_TEST_SEED` try others.
 */
fc.configureGlobal({ seed: Number(process.env['CAIRN_TEST_SEED'] ?? 20_261_123) });
