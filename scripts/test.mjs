/**
 * `npm test`: all set-up, then every test.
 *
 * `npm test -- <args>` gives the arguments to vitest, `npm test -- rust <args>` runs only `cargo test` with them and
 * `npm test -- ts <args>` only vitest. The last line on stdout is `N passed, N failed`.
 */
import { rmSync } from 'node:fs';

import { reportsDirectory } from './lib/paths.mjs';
import { isLive, say } from './lib/progress.mjs';
import { describeRun, readRustReport, readVitestReport, sumRuns } from './lib/reports.mjs';
import { runTurbo, setUp } from './lib/setup.mjs';

const suites = [
  { id: 'rust', task: 'test:rust', name: 'Rust', read: readRustReport },
  { id: 'ts', task: 'test:ts', name: 'TypeScript', read: readVitestReport },
];

/**
 * @param {NodeJS.ProcessEnv} env
 * @param {string[]} given
 */
const runSuites = async (env, given) => {
  const only = suites.find(({ id }) => id === given[0]);
  const args = only === undefined ? given : given.slice(1);
  rmSync(reportsDirectory, { recursive: true, force: true });
  const runs = [];
  for (const { id, task, name, read } of only === undefined ? suites : [only]) {
    const own = only !== undefined || id === 'ts' ? args : [];
    const { code } = await runTurbo({
      tasks: [task],
      // Only the tests: everything is built, and arguments are part of the hash of what they reach.
      args: ['--only', ...(own.length > 0 ? ['--', ...own] : [])],
      title: `Testing ${name}`,
      done: `${name} tests passed`,
      // A log keeps everything. A terminal shows one line, unless the run was narrowed by hand.
      echo: !isLive() || own.length > 0,
      env,
    });
    runs.push({ name, code, counts: read() });
  }
  for (const run of runs) say(describeRun(run));
  return sumRuns(runs);
};

// The reader of the output may go away; the exit code still gives the result.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

const env = await setUp({ task: 'build', title: 'Building the addon and the packages' });
const { passed, failed, reasons } =
  env === undefined
    ? { passed: 0, failed: 1, reasons: ['set-up failed'] }
    : await runSuites(env, process.argv.slice(2));
for (const reason of reasons) say(`Failed: ${reason}`);
process.stdout.write(`${passed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;
