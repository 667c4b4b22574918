/**
 * How fast is grep with an index of contents, compared with grep without one, ripgrep and fff?
 *
 *     npm run bench -- content-index [--rounds 7] [--pairs 30] [--quick] [--tree <directory>]... [--mode count|filesWithMatches]
 *
 * Every contestant counts the matched lines of each file, except fff, which cannot count and returns the first match of each file.
 * Cairn takes part three times, each in its own process: with an index that is compared with the disk, with a watched index, and without
 * an index. First the answers are compared: Cairn must find the files and lines that `rg` finds; differences of fff are listed. Then each
 * round asks every contestant every query, and the tables are printed. The pairs come last.
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
import { costTable, roundsReport } from './report.ts';
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
    /** A file for all measurements. */
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
    // In sequence, so that builds do not share the processor.
    await fff.prepare();
    const builds = { validated: await validated.prepare(), watched: await watched.prepare() };
    const contestants = [validated, watched, full, rg, fff];
    const measured = { name, builds, queries: await measureRounds({ queries, contestants, mode, rounds }) };
    process.stdout.write(`${roundsReport(measured)}\n`);
    const costs = await measureCosts(root, { validated, full }, pairs);
    process.stdout.write(`${costTable(costs)}\n`);
    return { ...measured, costs };
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
at most ${rounds} rounds, medians in ms

`,
);
const results: TreeResult[] = [];
for await (const tree of trees(values.tree)) {
  results.push(await measureTree(tree));
}
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(results, undefined, 2)}\n`);
process.exitCode = results.every(({ queries }) => queries.every(({ wrong }) => wrong.length === 0)) ? 0 : 1;
