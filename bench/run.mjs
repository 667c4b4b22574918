/**
 * `npm run bench [-- <options>]`: all set-up, the peers apart from the workspace, then the benchmarks.
 * `npm run bench -- ranking <options>` runs the ranking benchmark instead, `agents` that of agents beside other libraries,
 * `contexts` that of histories and views, `edit-matrix` the failure matrix of file edits,
 * `facts` whether questions about facts are answered, and whether those without an answer are not,
 * `first-line` how soon `cairn grep` prints, `keystroke` that of the autocomplete, `knowledge` how well assets are found and what the index costs, `knowledge-agent` whether a
 * model follows the layers, `mcp` that of servers over MCP, `memory` what is kept when many write at once,
 * `retrieval` how well texts are found, `tools` the speed of the tools on large files, `workspace` that of the workspace cache.
 */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { pinnedNode, root } from '../scripts/lib/paths.mjs';
import { runAttached, runStep } from '../scripts/lib/run.mjs';
import { setUp } from '../scripts/lib/setup.mjs';

/** @param {string} path */
const here = (path) => fileURLToPath(new URL(path, import.meta.url));

/** Benchmarks that run apart from those of speed. */
const programs = [
  'agents',
  'contexts',
  'edit-matrix',
  'facts',
  'first-line',
  'keystroke',
  'knowledge',
  'knowledge-agent',
  'mcp',
  'memory',
  'ranking',
  'retrieval',
  'tools',
  'workspace',
];

/** @param {NodeJS.ProcessEnv} env */
const installPeers = async (env) => {
  const { code } = await runStep({
    title: 'Installing the peers',
    done: 'Peers installed',
    command: pinnedNode,
    args: [here('../node_modules/pnpm/bin/pnpm.cjs'), 'install', '--frozen-lockfile'],
    cwd: here('.'),
    env,
  });
  return code === 0;
};

const [first, ...rest] = process.argv.slice(2);
const own = first !== undefined && programs.includes(first);

const prepare = async () => {
  const env =
    first === 'mcp'
      ? await setUp({ task: 'build', title: 'Building the addon and the packages' })
      : await setUp({ task: 'build:native', title: 'Building the native addon (release)' });
  return env !== undefined && (await installPeers(env)) ? env : undefined;
};
// The options of the main program need no peers, so its help comes at once.
const needsNothing = !own && process.argv.includes('--help') && existsSync(pinnedNode);
const env = needsNothing ? process.env : await prepare();
if (env === undefined) {
  process.exitCode = 1;
} else {
  const program = own ? [here(`${first}/run.ts`), ...rest] : [here('main.ts'), ...process.argv.slice(2)];
  process.exitCode = await runAttached({
    command: pinnedNode,
    args: program,
    cwd: process.env['INIT_CWD'] ?? root,
    env,
  });
}
