/**
 * `npm run bench [-- <options>]`: all set-up, the peers apart from the workspace, then the benchmarks.
 * The first argument may name a benchmark that is not about search:
 *
 * - `agents`: what agents add to requests, next to other libraries
 * - `content-index`: grep with an index of contents
 * - `edit-matrix`: how file edits fail
 * - `facts`: answers to questions about facts, and to questions without an answer
 * - `first-line`: how soon `cairn grep` prints
 * - `keystroke`: the autocomplete of mentions
 * - `knowledge`: how well assets are found, and what the index costs
 * - `knowledge-agent`: whether a model follows the layers
 * - `mcp`: servers over MCP
 * - `memory`: concurrent writers and large stores
 * - `ranking`: the order of fuzzy matches
 * - `retrieval`: how well documents are found
 * - `tools`: the tools on large files
 * - `vectors`: exact search of stored vectors
 * - `workspace`: the workspace cache
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
  'content-index',
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
  'vectors',
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
