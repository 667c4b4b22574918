/**
 * Runs every Rust test and writes what cargo reported to `.reports/rust.json`. Arguments go to `cargo test`.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { reportsDirectory, root } from './lib/paths.mjs';
import { countRustTests } from './lib/reports.mjs';

const child = spawn('cargo', ['test', '--workspace', '--no-fail-fast', ...process.argv.slice(2)], {
  cwd: root,
  stdio: ['ignore', 'pipe', 'inherit'],
});
let output = '';
child.stdout.setEncoding('utf8').on('data', (/** @type {string} */ text) => {
  output += text;
  process.stdout.write(text);
});
child.on('close', (code) => {
  mkdirSync(reportsDirectory, { recursive: true });
  writeFileSync(join(reportsDirectory, 'rust.json'), JSON.stringify(countRustTests(output)));
  process.exitCode = code ?? 1;
});
