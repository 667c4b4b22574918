/**
 * `npm run simulate [-- --write]`: all set-up, then the simulated run of seven agents on generated projects, without and with
 * the workspace cache. Prints the tables that the README of the package shows; `--write` puts them there.
 */
import { pinnedNode, root } from './lib/paths.mjs';
import { runAttached } from './lib/run.mjs';
import { setUp } from './lib/setup.mjs';

const env = await setUp({ task: 'build:native', title: 'Building the native addon (release)' });
process.exitCode =
  env === undefined
    ? 1
    : await runAttached({
        command: pinnedNode,
        args: [`${root}/test/workspace-cache/simulation/main.ts`, ...process.argv.slice(2)],
        cwd: root,
        env,
      });
