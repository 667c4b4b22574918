/**
 * `npm run simulate`: all set-up, then the simulated run of seven agents on generated projects, without and with the workspace
 * cache. Prints the table that the README of the package shows.
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
        args: [`${root}/test/workspace-cache/simulation/main.ts`],
        cwd: root,
        env,
      });
