/**
 * `npm start [-- <path>]`: all set-up, then the guided tour of a directory (this repository by default).
 */
import { cliEntry, pinnedNode, root } from './lib/paths.mjs';
import { runAttached } from './lib/run.mjs';
import { setUp } from './lib/setup.mjs';

const env = await setUp({ task: 'build:native', title: 'Building the native addon (release)' });
if (env === undefined) {
  process.exitCode = 1;
} else {
  const given = process.argv.slice(2);
  const hasPath = given[0] !== undefined && !given[0].startsWith('-');
  process.exitCode = await runAttached({
    command: pinnedNode,
    args: [cliEntry, 'tour', ...(hasPath ? [] : [root]), ...given],
    // npm changes to the repository root; a relative path means the directory the user typed it in.
    cwd: process.env['INIT_CWD'] ?? process.cwd(),
    // The commands that the tour prints can be pasted in a clone.
    env: { CAIRN_COMMAND: 'npm exec cairn --', ...process.env },
  });
}
