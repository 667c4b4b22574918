/**
 * How well does each ranker find the file that was meant? Samples files of a tree and types what a person would.
 *
 *     npm run bench -- ranking [--tree <directory>]... [--samples 200] [--seed 1] [--any] [--only cairn,fzf] [--json]
 *
 * The trees are the kernel's source and the installed packages, unless named. Only questions with one right answer are
 * asked; with `--any` any file is asked for, also one of the thousand that are called `Makefile`.
 *
 * Every ranker sees the same files, made again as empty files in a directory of their own, without the components called
 * `node_modules`, so that no ignore rule, link or content plays a part. Directories do not count as answers.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { FileType, glob } from '@cairn/natives';
import { kernel } from '../lib/corpora/kernel.ts';
import { questions } from './queries.ts';
import type { Question } from './queries.ts';
import { rankers, SHOWN } from './rankers.ts';
import type { Ranker, Tree } from './rankers.ts';

interface Quality {
  /** The mean of 1 / rank, 0 for a rank beyond the {@link SHOWN}th. */
  mrr: number;
  /** The share at rank 1. */
  hit1: number;
  /** The share among the {@link SHOWN} first. */
  hit10: number;
}

interface Report {
  tree: string;
  files: number;
  seed: number;
  samples: number;
  /** Whether files were asked for that share their words with others. */
  any: boolean;
  /** By ranker, then by kind of query. */
  rankers: Record<string, Record<string, Quality>>;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(values.length, 1);
}

/** Makes the files of `directory` again, empty, below `scratch`. */
async function mirror(directory: string, scratch: string): Promise<Tree> {
  const { matches } = await glob({
    pattern: '**',
    path: directory,
    fileType: FileType.File,
    includeNodeModules: true,
    gitignore: false,
  });
  const files = matches.filter((match) => !match.lossyPath).map((match) => match.path.replaceAll('node_modules/', ''));
  // `fzf` and people read lines.
  const plain = [...new Set(files)].filter((file) => !file.includes('\n')).toSorted();
  const root = join(scratch, 'tree');
  const made = new Set<string>();
  for (const file of plain) {
    const path = join(root, file);
    if (!made.has(dirname(path))) mkdirSync(dirname(path), { recursive: true });
    made.add(dirname(path));
    writeFileSync(path, '');
  }
  const list = join(scratch, 'files.txt');
  writeFileSync(list, `${plain.join('\n')}\n`);
  return { root, list, files: plain };
}

async function judge(ranker: Ranker, asked: readonly Question[]): Promise<Record<string, Quality>> {
  const ranks = new Map<string, number[]>();
  for (const { kind, query, wanted } of asked) {
    const rank = (await ranker.rank(query)).indexOf(wanted) + 1;
    ranks.set(kind, [...(ranks.get(kind) ?? []), rank]);
  }
  const quality = (all: readonly number[]): Quality => ({
    mrr: mean(all.map((rank) => (rank === 0 ? 0 : 1 / rank))),
    hit1: mean(all.map((rank) => Number(rank === 1))),
    hit10: mean(all.map((rank) => Number(rank > 0))),
  });
  const byKind = Object.fromEntries([...ranks].map(([kind, all]) => [kind, quality(all)]));
  const each = Object.values(byKind);
  const over = (key: keyof Quality): number => mean(each.map((one) => one[key]));
  return { ...byKind, mean: { mrr: over('mrr'), hit1: over('hit1'), hit10: over('hit10') } };
}

function table(report: Report): string {
  const names = Object.keys(report.rankers);
  const rows = Object.keys(Object.values(report.rankers)[0] ?? {});
  const figures = (name: string, kind: string): string => {
    const quality = report.rankers[name]?.[kind];
    return quality
      ? [quality.mrr, quality.hit1, quality.hit10].map((share) => share.toFixed(3).replace(/^0/, '')).join(' ')
      : '';
  };
  const lines = [
    `| MRR@${SHOWN}, hit@1, hit@${SHOWN} | ${names.join(' | ')} |`,
    `| --- |${' --- |'.repeat(names.length)}`,
    ...rows.map((kind) => `| ${kind} | ${names.map((name) => figures(name, kind)).join(' | ')} |`),
  ];
  return `${report.tree}: ${report.files} files, ${report.samples} samples of each kind${report.any ? ' from all files' : ''}, seed ${report.seed}\n\n${lines.join('\n')}\n`;
}

/** The queries. */
type Asking = Pick<Report, 'samples' | 'seed' | 'any'>;

async function rankTree(directory: string, asking: Asking, names: readonly string[]): Promise<Report> {
  const { samples, seed, any } = asking;
  const scratch = mkdtempSync(join(tmpdir(), 'cairn-ranking-'));
  try {
    const tree = await mirror(directory, scratch);
    const asked = questions(tree.files, samples, seed, !any);
    const judged: Report['rankers'] = {};
    for (const name of names) {
      const ranker = await rankers[name]?.(tree);
      if (!ranker) throw new Error(`no ranker is called ${name}; there are ${Object.keys(rankers).join(', ')}`);
      judged[name] = await judge(ranker, asked);
      ranker.close();
    }
    return { tree: basename(directory).replace(/^\./, ''), files: tree.files.length, ...asking, rankers: judged };
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

const { values } = parseArgs({
  options: {
    tree: { type: 'string', multiple: true },
    samples: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
    any: { type: 'boolean', default: false },
    only: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
});
// Snapshots must not expire between two queries; read at the first use, here and in pi-natives.
process.env['FS_SCAN_CACHE_TTL_MS'] = '86400000';
const names = values.only?.split(',') ?? Object.keys(rankers);
const reports: Report[] = [];
const modules = fileURLToPath(new URL('../../node_modules/.pnpm', import.meta.url));
for (const tree of values.tree ?? [await kernel(), modules]) {
  const asking = { samples: Number(values.samples), seed: Number(values.seed), any: values.any };
  const report = await rankTree(resolve(tree), asking, names);
  reports.push(report);
  if (!values.json) process.stdout.write(`${table(report)}\n`);
}
if (values.json) process.stdout.write(`${JSON.stringify(reports, undefined, 2)}\n`);
