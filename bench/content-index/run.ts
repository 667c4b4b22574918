/**
 * How fast is grep with an index of contents, next to grep without one, ripgrep and fff?
 *
 *     npm run bench -- content-index [--rounds 7] [--pairs 30] [--quick] [--tree <directory>]... [--mode count|filesWithMatches]
 *
 * Everyone counts the matched lines of each file; fff, which cannot, is asked for the first match of each file. Cairn takes part
 * three times, each in a process that stays: with an index that is compared with the disk, with one that is watched, and
 * without. Each round asks all of them every query. The answers are compared before: Cairn must find the files and lines of
 * `rg`; where fff differs is listed.
 */
import { writeFileSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { loadPeer } from '../lib/peers.ts';
import { say } from '../lib/progress.ts';
import { openProcess, openRipgrep } from './contestants.ts';
import { measureCosts } from './cost.ts';
import { measureRounds } from './measure.ts';
import type { Mode } from './protocol.ts';
import { treeReport } from './report.ts';
import type { TreeResult } from './report.ts';
import { trees } from './trees.ts';
import type { Tree } from './trees.ts';

const { values } = parseArgs({
  options: {
    tree: { type: 'string', multiple: true, default: [] },
    rounds: { type: 'string' },
    pairs: { type: 'string' },
    quick: { type: 'boolean', default: false },
    mode: { type: 'string', default: 'count' },
    /** Everything that was measured. */
    json: { type: 'string' },
  },
});
const rounds = Number(values.rounds ?? (values.quick ? 2 : 7));
const pairs = Number(values.pairs ?? (values.quick ? 3 : 30));
if (values.mode !== 'count' && values.mode !== 'filesWithMatches') throw new Error(`--mode ${values.mode}`);
const mode: Mode = values.mode;

async function measureTree({ name, root, queries }: Tree): Promise<TreeResult> {
  say(`${name}: building the indexes`);
  const open = (contestant: 'validated' | 'watched' | 'full' | 'fff') => openProcess(contestant, root);
  const [validated, watched, full, fff] = [open('validated'), open('watched'), open('full'), open('fff')];
  try {
    const rg = await openRipgrep(root);
    // In sequence, so that no build takes the processor from another.
    await fff.prepare();
    await full.prepare();
    const builds = { validated: await validated.prepare(), watched: await watched.prepare() };
    const contestants = [validated, watched, full, rg, fff];
    const measured = await measureRounds({ queries, contestants, mode, rounds });
    return { name, builds, queries: measured, costs: await measureCosts(root, { validated, full }, pairs) };
  } finally {
    for (const one of [validated, watched, full, fff]) one.close();
  }
}

async function versionOf(name: 'rg' | 'fff'): Promise<string> {
  const peer = await loadPeer(name);
  return `${name} ${'version' in peer ? peer.version : peer.missing}`;
}

process.stdout.write(
  `${cpus()[0]?.model}, ${availableParallelism()} cores; ${await versionOf('rg')}, ${await versionOf('fff')}
${rounds} rounds, medians in ms

`,
);
const results: TreeResult[] = [];
for await (const tree of trees(values.tree)) {
  const result = await measureTree(tree);
  results.push(result);
  process.stdout.write(`${treeReport(result)}\n`);
}
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(results, undefined, 2)}\n`);
process.exitCode = results.every(({ queries }) => queries.every(({ wrong }) => wrong.length === 0)) ? 0 : 1;
