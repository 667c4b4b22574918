/**
 * How well does each ranker find the file that was meant?
 *
 *     npm run bench -- ranking [--tree <directory>]... [--samples 200] [--seed 1] [--any] [--only cairn,fzf] [--json]
 *     npm run bench -- ranking --intent [--misses] [--only cairn,fzf] [--json]
 *
 * Samples files of a tree and makes queries of their names. The trees are the kernel's source and the installed packages,
 * unless named. Only questions with one right answer are asked; with `--any` any file is asked for, also one of the
 * thousand that are called `Makefile`. Directories do not count as answers.
 *
 * `--intent`: queries as people type them, from `sets/`. Here a directory that comes before the wanted file counts
 * as a wrong answer, because it takes a line on the screen. `--misses` lists the queries where another path came first.
 *
 * Every ranker sees the same files, made again as empty files in a directory of their own, without the components called
 * `node_modules`, so that no ignore rule, link or content plays a part.
 */
import { basename, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { kernel } from '../lib/corpora/kernel.ts';
import { findDebianPrograms } from '../lib/debian.ts';
import { answersOf, mean, qualityOf, SHOWN, tableOf } from './quality.ts';
import type { Answer, Figures, Quality } from './quality.ts';
import { questions } from './queries.ts';
import { rankers } from './rankers.ts';
import { questionsOf, repositories } from './sets.ts';
import { filesOf, withTree } from './tree.ts';

/** The figures of one tree. */
interface Sampled {
  tree: string;
  files: number;
  seed: number;
  samples: number;
  /** Whether files were asked for that share their words with others. */
  any: boolean;
  /** By ranker, then by kind of query. */
  rankers: Figures;
}

type Asking = Pick<Sampled, 'samples' | 'seed' | 'any'>;

function byKind(answers: readonly Answer[]): Record<string, Quality> {
  const kinds = [...new Set(answers.map(({ kind }) => kind))];
  return Object.fromEntries(kinds.map((one) => [one, qualityOf(answers.filter(({ kind }) => kind === one))]));
}

/** Each kind counts the same. */
function withMean(kinds: Record<string, Quality>): Record<string, Quality> {
  const each = Object.values(kinds);
  const over = (key: keyof Quality): number => mean(each.map((one) => one[key]));
  return { ...kinds, mean: { mrr: over('mrr'), hit1: over('hit1'), hit10: over('hit10') } };
}

async function rankTree(directory: string, asking: Asking, names: readonly string[]): Promise<Sampled> {
  return withTree(await filesOf(directory), async (tree) => {
    const asked = questions(tree.files, asking.samples, asking.seed, !asking.any);
    const judged: Figures = {};
    for (const name of names) {
      judged[name] = withMean(byKind(await answersOf(name, tree, asked, { directories: false })));
    }
    return { tree: basename(directory).replace(/^\./, ''), files: tree.files.length, ...asking, rankers: judged };
  });
}

/** The answers of every ranker to one set. */
interface Intent {
  repository: string;
  set: string;
  /** Whether its queries were written because a ranker failed them. */
  reported: boolean;
  answers: Record<string, Answer[]>;
}

async function rankSets(names: readonly string[]): Promise<Intent[]> {
  const results: Intent[] = [];
  for (const { name: repository, files, queries, reported } of repositories) {
    await withTree(await files(), async (tree) => {
      for (const set of [...queries, ...reported]) {
        const asked = questionsOf(set);
        const gone = asked.find(({ wanted }) => !tree.files.includes(wanted));
        if (gone) throw new Error(`${set}: ${repository} has no file ${gone.wanted}`);
        const answers: Intent['answers'] = {};
        for (const name of names) answers[name] = await answersOf(name, tree, asked, { directories: true });
        results.push({ repository, set: basename(set, '.tsv'), reported: reported.includes(set), answers });
      }
    });
  }
  return results;
}

function intentTables(results: readonly Intent[], names: readonly string[]): string {
  const own = results.filter(({ reported }) => !reported);
  const answersTo = (sets: readonly Intent[], name: string): Answer[] =>
    sets.flatMap(({ answers }) => answers[name] ?? []);
  const bySet = names.map((name) => {
    const rows = results.map((one) => {
      const label = `${one.set} (${one.repository}, ${answersTo([one], name).length})`;
      return [label, qualityOf(answersTo([one], name))];
    });
    const all = answersTo(own, name);
    return [name, { ...Object.fromEntries(rows), [`all but the reported ones (${all.length})`]: qualityOf(all) }];
  });
  const kinds = names.map((name) => [name, byKind(answersTo(own, name))]);
  return `${tableOf(Object.fromEntries(bySet))}\n${tableOf(Object.fromEntries(kinds))}`;
}

function misses(results: readonly Intent[]): string {
  const lines = results.flatMap(({ set, answers }) =>
    Object.entries(answers).flatMap(([name, all]) =>
      all
        .filter(({ rank }) => rank !== 1)
        .map(({ kind, query, wanted, rank, first }) => {
          const place = rank === 0 ? `not among the first ${SHOWN}` : `at ${rank}`;
          return `${name}\t${set}\t${kind}\t${query}\t${wanted} ${place}; first: ${first ?? 'nothing'}\n`;
        }),
    ),
  );
  return lines.join('');
}

const { values } = parseArgs({
  options: {
    intent: { type: 'boolean', default: false },
    misses: { type: 'boolean', default: false },
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
await findDebianPrograms();
const names = values.only?.split(',') ?? Object.keys(rankers);

function print(results: readonly object[]): void {
  process.stdout.write(`${JSON.stringify(results, undefined, 2)}\n`);
}

async function sampled(): Promise<void> {
  const reports: Sampled[] = [];
  const modules = fileURLToPath(new URL('../../node_modules/.pnpm', import.meta.url));
  for (const directory of values.tree ?? [await kernel(), modules]) {
    const asking = { samples: Number(values.samples), seed: Number(values.seed), any: values.any };
    const report = await rankTree(resolve(directory), asking, names);
    reports.push(report);
    const { tree, files, samples, seed, any } = report;
    const title = `${tree}: ${files} files, ${samples} samples of each kind${any ? ' from all files' : ''}, seed ${seed}`;
    if (!values.json) process.stdout.write(`${title}\n\n${tableOf(report.rankers)}\n`);
  }
  if (values.json) print(reports);
}

async function intent(): Promise<void> {
  const results = await rankSets(names);
  if (values.json) print(results);
  else process.stdout.write(intentTables(results, names));
  if (values.misses) process.stdout.write(`\n${misses(results)}`);
}

await (values.intent ? intent() : sampled());
