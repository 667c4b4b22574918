/**
 * `npm run soak [-- <calls>]`: all set-up, then the soak tests with N calls (default: 10,000). Prints the memory, handles and
 * files that the servers hold after them.
 */
import { pinnedNode, root } from './lib/paths.mjs';
import { runAttached } from './lib/run.mjs';
import { setUp } from './lib/setup.mjs';

const [calls = '10000', ...others] = process.argv.slice(2);
const env = await setUp({ task: 'build', title: 'Building the addon and the packages' });
if (env === undefined || others.length > 0 || !/^[1-9]\d*$/u.test(calls)) {
  if (env !== undefined) process.stderr.write('npm run soak takes a number of calls\n');
  process.exitCode = 1;
} else {
  process.exitCode = await runAttached({
    command: pinnedNode,
    args: [`${root}/node_modules/vitest/vitest.mjs`, 'run', '--reporter=verbose', 'soak'],
    cwd: root,
    env: { ...env, CAIRN_SOAK: calls },
  });
}
