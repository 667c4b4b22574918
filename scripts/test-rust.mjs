/**
 * Runs every Rust test and writes what cargo reported to `.reports/rust.json`. Arguments go to `cargo test`.
 */
import { join } from 'node:path';

import { reportsDirectory, root } from './lib/paths.mjs';
import { runRustTests } from './lib/rust-tests.mjs';

process.exitCode = await runRustTests({
  command: 'cargo',
  args: ['test', '--workspace', '--no-fail-fast', ...process.argv.slice(2)],
  cwd: root,
  report: join(reportsDirectory, 'rust.json'),
  log: join(reportsDirectory, 'rust.log'),
  out: process.stdout,
});
